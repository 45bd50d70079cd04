#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ code in Docs/Cxx.md and README.md, and prints the compiler's errors.

    Scripts/support/check_cxx_snippets.py [URL FOLDER]

With the URL of a server of Examples/TaskTracker and the folder of libflexsync.so, it also runs what it has compiled, each
document in an empty folder and with that URL in place of the one in the text. It runs them twice, as readers do: the second
time with what the first has left.

The blocks of a document are compiled together, in order. Declarations stay at the top level. Statements go into a function,
each block in a scope inside that of the block before it, whose variables it sees and whose names it may declare again.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
DECLARATION = re.compile(r"#include|struct |namespace |FLEXSYNC_|REALM_|[\w:]+ \w+\(.*\) \{$", re.M)
URL = "http://localhost:9090"


def program(text, name):
    declarations, statements = [], []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        target = declarations if DECLARATION.match(match[1]) else statements
        target.append((line, match[1]))
    lines = []
    for line, code in declarations:
        lines += [f'#line {line} "{name}"', code]
    if not statements:
        return "\n".join(lines)
    lines.append("int main() {")
    for line, code in statements:
        lines += ["{", f'#line {line} "{name}"', code]
    return "\n".join(lines + ["}" * len(statements), "}", ""])


def compile_program(code, *options):
    result = subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused",
         "-Wno-unused-parameter", f"-I{ROOT}/Include", f"-I{ROOT}/Bindings/Cxx/include", "-xc++", "-", *options],
        input=code, text=True, capture_output=True)
    print(result.stderr, end="", file=sys.stderr)
    return result.returncode == 0


def run(code, name, library):
    with tempfile.TemporaryDirectory(prefix="flexsync-cxx-page.") as folder:
        link = ["-xnone", f"-L{library}", "-lflexsync", f"-Wl,-rpath,{library}", "-pthread"]
        if not compile_program(code, *link, "-o", f"{folder}/program"):
            return False
        for _ in range(2):
            result = subprocess.run(["./program"], cwd=folder, text=True, capture_output=True, timeout=120)
            if result.returncode != 0:
                print(f"{name} ends with {result.returncode}:\n{result.stdout}{result.stderr}", file=sys.stderr)
                return False
    return True


def main():
    url, library = sys.argv[1:] or (None, None)
    succeeded = True
    for name in ["Docs/Cxx.md", "README.md"]:
        text = (ROOT / name).read_text()
        code = program(text, name)
        done = run(code.replace(URL, url), name, library) if url else compile_program(code, "-fsyntax-only")
        succeeded = succeeded and done
        print(f"{name}: {len(BLOCK.findall(text))} snippets in C++{', which run' if url and done else ''}")
    return 0 if succeeded else 1


sys.exit(main())
