#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the Swift code in README.md and in the articles about the Swift layer (FlexSync.docc), and prints its
errors.

    check_snippets.py [OPTION OF swift build …]

The code is compiled against the modules that `swift build --build-tests` has made, with the same options. The blocks of
a document are compiled together, in order. Declarations stay at the top level. Statements go into an asynchronous,
throwing function of the main actor, where they may do what they may in a main.swift; those of a block see the variables
of the blocks before it, and may declare the same names again.

Readers do not see these comments:

    <!-- swift: with Examples/Tasks/Models.swift -->   the document uses what this file declares
    <!-- swift: skip -->                               the next block is not compiled

    <!-- swift                                         compiled like a block; no line may begin with @, which
    let user = app.currentUser!                        DocC would take for a directive
    -->
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from built_module import CATALOGUE, ROOT, import_options

BLOCK = re.compile(
    r"(?P<skip><!-- swift: skip -->\n+)?^```swift\n(?P<shown>.*?)^```$|^<!-- swift\n(?P<hidden>.*?)^-->$", re.M | re.S)
DECLARATION = re.compile(
    r"(@\w+(\([^)]*\))?\s+)*((public|open|final|private|indirect|nonisolated)\s+)*"
    r"(import|class|struct|enum|actor|protocol|extension|typealias|func)\b|@\w+(\([^)]*\))?$")
WITHOUT_BODY = re.compile(r".*\b(import|typealias)\b")
OTHER_FILE = re.compile(r"^<!-- swift: with (\S+) -->$", re.M)
ERROR = re.compile(r"^\S+:\d+:\d+: error: ", re.M)


def blocks(text):
    """The code of each block, and the line of the document on which it begins."""
    for match in BLOCK.finditer(text):
        if not match["skip"]:
            kind = "hidden" if match["shown"] is None else "shown"
            yield text.count("\n", 0, match.start(kind)) + 1, match[kind].splitlines()


def end_of_declaration(lines, start):
    depth = 0
    for index in range(start, len(lines)):
        depth += lines[index].count("{") - lines[index].count("}")
        if not depth and ("}" in lines[index] or WITHOUT_BODY.match(lines[index])):
            return index + 1
    return len(lines)


def parts(lines):
    """Divides a block into declarations and what is between them: whether it is one, its beginning and its end."""
    start = 0
    while start < len(lines):
        is_declaration = DECLARATION.match(lines[start]) is not None
        if is_declaration:
            end = end_of_declaration(lines, start)
        else:
            end = next((i for i in range(start, len(lines)) if DECLARATION.match(lines[i])), len(lines))
        yield is_declaration, start, end
        start = end


def program(document):
    """The Swift file that has all code of a document, or None if it has none."""
    name = document.relative_to(ROOT)
    declarations, statements, block_count = ["import FlexSync", "import Foundation"], [], 0
    for first_line, lines in blocks(document.read_text()):
        block_count += 1
        statements.append("do {")
        for is_declaration, start, end in parts(lines):
            where = declarations if is_declaration else statements
            where.append(f'#sourceLocation(file: "{name}", line: {first_line + start})')
            where += [*lines[start:end], "#sourceLocation()"]
    if not block_count:
        return None
    head = ["@MainActor func statements() async throws {"]
    return "\n".join(declarations + head + statements + ["}"] * (block_count + 1)) + "\n"


def errors(document, options):
    source = program(document)
    if source is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{document.stem}.swift"
        path.write_text(source)
        # Not -typecheck, because what may be sent between actors is checked later.
        command = ["swiftc", "-emit-sil", "-wmo", "-o", os.devnull, "-module-name", "Snippets", "-parse-as-library"]
        command += ["-swift-version", "6", "-suppress-warnings", "-diagnostic-style", "llvm", *options, str(path)]
        command += OTHER_FILE.findall(document.read_text())
        result = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    found = [line for line in result.stderr.splitlines() if ERROR.match(line)]
    return found if found or not result.returncode else [f"{document.relative_to(ROOT)}: {result.stderr}"]


def main():
    options = import_options(sys.argv[1:])
    documents = [ROOT / "README.md", *sorted(CATALOGUE.rglob("*.md"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(lambda document: errors(document, options), documents) for line in lines]
    if found:
        print("\n".join(found), file=sys.stderr)
        sys.exit(1)


main()
