#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C or the C++ code in the documents of that language, and prints the compiler's errors.

    Scripts/support/check_c_snippets.py c|cxx [--server URL --library FOLDER [--under COMMAND]]
    Scripts/support/check_c_snippets.py c|cxx --print DOCUMENT

With the URL of a server of Examples/TaskTracker and the folder of libflexsync.so, it also runs what it has compiled, each
document in an empty folder and with that URL in place of the one in the text. It runs them twice, as readers do: the second
time with what the first has left. COMMAND is what they run under, such as valgrind; then they run once. The second form
writes the program of a document to standard output, for people to compile.

The blocks of a document are compiled together, in order. Declarations stay at the top level. Statements go into a function,
each block in a scope inside that of the block before it, whose variables it sees and whose names it may declare again.

CC or CXX is the compiler, and CFLAGS or CXXFLAGS are further options.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = "http://localhost:9090"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@dataclasses.dataclass
class Language:
    name: str
    fence: str
    documents: list
    declaration: re.Pattern
    compiler: list
    options: list

    @property
    def block(self):
        return re.compile(rf"^```{self.fence}\n(.*?)^```$", re.M | re.S)


def compiler(variable, default, flags):
    return [os.environ.get(variable, default), *shlex.split(os.environ.get(flags, ""))]


LANGUAGES = {
    # A document shows functions that its program does not call.
    "c": Language("C", "c", ["Docs/C.md", "README.md"], re.compile(r"#(?:include|define)|static |typedef |struct "),
                  compiler("CC", "gcc", "CFLAGS"),
                  ["-std=c11", *WARNINGS, "-Wwrite-strings", "-Wno-unused-function", f"-I{ROOT}/Include", "-xc"]),
    "cxx": Language("C++", "cpp", ["Docs/Cxx.md", "README.md"],
                    re.compile(r"#include|struct |namespace |FLEXSYNC_|REALM_|[\w:]+ \w+\(.*\) \{$", re.M),
                    compiler("CXX", "g++", "CXXFLAGS"),
                    ["-std=c++17", *WARNINGS, "-Wno-unused", "-Wno-unused-parameter", f"-I{ROOT}/Include",
                     f"-I{ROOT}/Bindings/Cxx/include", "-xc++"]),
}


def program(language, text, name):
    """The program of a document. With a name, the compiler's messages refer to the lines of the document."""
    declarations, statements = [], []
    for match in language.block.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        target = declarations if language.declaration.match(match[1]) else statements
        target.append((line, match[1]))
    def located(line, code):
        return [f'#line {line} "{name}"', code] if name else [code]

    lines = []
    for line, code in declarations:
        lines += located(line, code)
    if not statements:
        return "\n".join(lines)
    lines.append("int main(void) {")
    for line, code in statements:
        lines += ["{", *located(line, code)]
    return "\n".join(lines + ["}" * len(statements), "}", ""])


def compile_program(language, code, *options):
    result = subprocess.run([*language.compiler, *language.options, "-", *options], input=code, text=True,
                            capture_output=True)
    print(result.stderr, end="", file=sys.stderr)
    return result.returncode == 0


def run(language, code, name, options):
    with tempfile.TemporaryDirectory(prefix="flexsync-page.") as folder:
        link = ["-g", "-xnone", f"-L{options.library}", "-lflexsync", f"-Wl,-rpath,{options.library}", "-pthread"]
        if not compile_program(language, code, *link, "-o", f"{folder}/program"):
            return False
        for _ in range(1 if options.under else 2):
            result = subprocess.run([*options.under, "./program"], cwd=folder, text=True, capture_output=True, timeout=600)
            if result.returncode != 0:
                print(f"{name} ends with {result.returncode}:\n{result.stdout}{result.stderr}", file=sys.stderr)
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("--server")
    parser.add_argument("--library")
    parser.add_argument("--under", type=shlex.split, default=[])
    parser.add_argument("--print", dest="printed", metavar="DOCUMENT")
    options = parser.parse_args()
    language = LANGUAGES[options.language]
    if options.printed:
        if options.printed not in language.documents:
            parser.error(f"the documents in {language.name} are {', '.join(language.documents)}")
        print(program(language, (ROOT / options.printed).read_text(), None), end="")
        return 0
    succeeded = True
    for name in language.documents:
        text = (ROOT / name).read_text()
        code = program(language, text, name)
        # A document without statements has nothing to run.
        runs = options.server and "int main(" in code
        done = run(language, code.replace(URL, options.server), name, options) if runs else compile_program(language, code, "-fsyntax-only")
        succeeded = succeeded and done
        print(f"{name}: {len(language.block.findall(text))} snippets in {language.name}{', which run' if runs and done else ''}")
    return 0 if succeeded else 1


sys.exit(main())
