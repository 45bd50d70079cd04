#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each row of Docs/Features.tsv has a test that proves it, or a reason why it has none, and that
Docs/Features.md says which.

    features.py [--write]

A test names the rows that it proves in a comment of its own above it:

    // Feature 24, 31
    @Test func …        or TEST(…) in C++, or test("…" in JavaScript

--write makes Docs/Features.md anew.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "Docs/Features.tsv"
DOCUMENT = ROOT / "Docs/Features.md"
MARK = re.compile(r"^[ \t]*// Feature(?P<rows>s?\b.*)\n(?P<test>(?:[ \t]*//.*\n)*[ \t]*@Test(?:(?!@Test)[\s\S])*?\bfunc (?P<name>\w+))?", re.M)
CXX_MARK = re.compile(r"^// Feature(?P<rows>s?\b.*)\n(?P<test>TEST\((?P<name>\w+)\))?", re.M)
NODE_MARK = re.compile(r"^// Feature(?P<rows>s?\b.*)\n(?P<test>test\(\"(?P<name>[^\"]+)\")?", re.M)
NUMBERS = re.compile(r" \d+(?:, \d+)*")
SUITE = re.compile(r"^(?:@\S.*? |[a-z]+ )*(?:struct|class|actor|enum|extension) (\w+)", re.M)
HEAD = """\
# Features

What the documentation of Realm's Swift SDK says of Flexible Sync, and of syncing between devices and writing to synced
realms, as rows that can be checked, with the tests that prove each. `Scripts/support/features.py --write` generates
this page from [Features.tsv](Features.tsv) and from the comments `// Feature …` above the tests; `Scripts/test` fails
if a row has neither a test nor a reason.
"""

Row = collections.namedtuple("Row", "number text reason")


def read_rows():
    """The sections, each with its title and rows."""
    sections = []
    for line in ROWS.read_text().splitlines():
        if line.startswith("#"):
            continue
        number, _, rest = line.partition("\t")
        if rest:
            text, _, reason = rest.partition("\t")
            sections[-1][1].append(Row(int(number), text, reason))
        else:
            sections.append((line, []))
    return sections


def read_marks(numbers, problems):
    """The tests of each row, as the file, the suite and the name."""
    tests = collections.defaultdict(list)
    files = [*(ROOT / "Tests").rglob("*.swift"), *(ROOT / "Tests/Cxx").glob("*.cpp"), *(ROOT / "Bindings/Node/tests").glob("*.mjs")]
    marks = {".swift": MARK, ".cpp": CXX_MARK, ".mjs": NODE_MARK}
    for path in sorted(files):
        text = path.read_text()
        for mark in marks[path.suffix].finditer(text):
            place = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, mark.start()) + 1}"
            if not NUMBERS.fullmatch(mark["rows"]):
                problems.append(f"{place}: does not read '// Feature 1, 2'")
            elif not mark["name"]:
                problems.append(f"{place}: is not above a test")
            elif ".disabled(" in mark["test"]:
                problems.append(f"{place}: {mark['name']} is disabled and proves nothing")
            else:
                suite = [path.name, *SUITE.findall(text, 0, mark.start())][-1]
                for number in map(int, mark["rows"].split(",")):
                    if number not in numbers:
                        problems.append(f"{place}: there is no row {number}")
                    tests[number].append((path, suite, mark["name"]))
    return tests


def cell(row, tests):
    by_suite = collections.defaultdict(list)
    for path, suite, name in tests:
        by_suite[path, suite].append(f"`{name}`")
    parts = [
        f"[{suite}](../{path.relative_to(ROOT)}): {', '.join(names)}" for (path, suite), names in sorted(by_suite.items())
    ]
    return "; ".join([*parts, row.reason] if row.reason else parts)


def page(sections, tests):
    lines = [HEAD]
    for title, rows in sections:
        lines += [f"## {title}\n", "| | what | proof |", "|---|---|---|"]
        lines += [f"| {row.number} | {row.text} | {cell(row, tests[row.number])} |" for row in rows]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    sections, problems = read_rows(), []
    rows = [row for _, section in sections for row in section]
    if [row.number for row in rows] != list(range(1, len(rows) + 1)):
        problems.append(f"{ROWS.relative_to(ROOT)}: the rows are not numbered 1, 2, 3 …")
    tests = read_marks({row.number for row in rows}, problems)
    for row in rows:
        if not row.reason and not tests[row.number]:
            problems.append(f"{ROWS.relative_to(ROOT)}: row {row.number} has neither a test nor a reason")
    text = page(sections, tests)
    if "--write" in sys.argv[1:]:
        DOCUMENT.write_text(text)
    elif not DOCUMENT.exists() or DOCUMENT.read_text() != text:
        problems.append(f"{DOCUMENT.relative_to(ROOT)}: is out of date; run Scripts/support/features.py --write")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(1)


main()
