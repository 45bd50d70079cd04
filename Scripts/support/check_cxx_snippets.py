#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ code in Docs/Cxx.md and README.md, and prints the compiler's errors.

The blocks of a document are compiled together, in order. Declarations stay at the top level. Statements go into a function,
each block in a scope inside that of the block before it, whose variables it sees and whose names it may declare again.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
DECLARATION = re.compile(r"#include|struct |namespace |FLEXSYNC_|REALM_|int main")


def program(text, name):
    declarations, statements = [], []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        target = declarations if DECLARATION.match(match[1]) else statements
        target.append((line, match[1]))
    lines = ["#include <thread>", "void document();"]
    for line, code in declarations:
        lines += [f'#line {line} "{name}"', code]
    lines.append("void document() {")
    for line, code in statements:
        lines += ["{", f'#line {line} "{name}"', code]
    return "\n".join(lines + ["}" * len(statements), "}", ""])


def main():
    failed = False
    for name in ["Docs/Cxx.md", "README.md"]:
        code = program((ROOT / name).read_text(), name)
        result = subprocess.run(
            [os.environ.get("CXX", "g++"), "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused",
             "-Wno-unused-parameter", f"-I{ROOT}/Include", f"-I{ROOT}/Bindings/Cxx/include", "-fsyntax-only", "-xc++", "-"],
            input=code, text=True, capture_output=True)
        print(result.stderr, end="", file=sys.stderr)
        failed = failed or result.returncode != 0
        print(f"{name}: {len(BLOCK.findall((ROOT / name).read_text()))} snippets in C++")
    return 1 if failed else 0


sys.exit(main())
