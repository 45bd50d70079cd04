#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what comments and documents cite is in this repository.

`protocol §4.3` means the section 4.3 of Docs/Protocol/4-*.md; `RealmClients §1` and `QueryLanguage §1` mean sections of
the documents of these names beside it. Relative links in documents must lead to files that exist, and to headings of
them.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTOCOL = ROOT / "Docs/Protocol"
FOLDERS = ["Sources", "Include", "Tests", "Docs", "Examples", "Bindings", "Benchmarks", "Scripts"]
SUFFIXES = {".swift", ".h", ".c", ".cpp", ".md", ".py", ".json", ".yml", ""}
CITATION = re.compile(r"\b(protocol|RealmClients|QueryLanguage)((?: and|,|–)? ?§+ ?[0-9][0-9.]*(?:[–,] ?§?[0-9][0-9.]*)*)+")
ELSEWHERE = re.compile(r"\b([Ff]eatures (?:rows? [0-9]|section)|\(rows? [0-9]|rows [0-9]+–|peer-client|shared/(?:protocol|features|findings))")
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
HEADING = re.compile(r"^#+ (?:§ ?)?([0-9]+(?:\.[0-9]+)*)\b", re.M)
LINK = re.compile(r"\]\(([^)\s:]*?)(?:#([^)\s]*))?\)")


def sections(document):
    return set(HEADING.findall(document.read_text()))


def anchors(document):
    """The names by which links reach the headings of a document."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def files():
    for path in [ROOT / "README.md", ROOT / "CHANGELOG.md"]:
        yield path
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            # Builds hold copies of other packages.
            if ".build" in path.parts:
                continue
            if path.is_file() and path.suffix in SUFFIXES and path.stat().st_size < 1 << 20:
                yield path


def wrong_citations(path, text, known):
    for match in CITATION.finditer(text):
        for number in NUMBER.findall(match[0]):
            if number not in known[match[1]]:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path.relative_to(ROOT)}:{line}: {match[1]} §{number} does not exist"


def citations_of_elsewhere(path, text):
    for match in ELSEWHERE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield f"{path.relative_to(ROOT)}:{line}: {match[0]} is not in this repository"


def wrong_links(path, text):
    for match in LINK.finditer(text):
        target = (path.parent / match[1]).resolve() if match[1] else path
        line = text.count("\n", 0, match.start()) + 1
        if not target.exists():
            yield f"{path.relative_to(ROOT)}:{line}: {match[1]} does not exist"
        elif match[2] and target.suffix == ".md" and match[2] not in anchors(target):
            yield f"{path.relative_to(ROOT)}:{line}: {match[1]} has no heading #{match[2]}"


def main():
    known = {
        "protocol": set().union(*(sections(path) for path in PROTOCOL.glob("[0-9]*.md"))),
        "RealmClients": sections(PROTOCOL / "RealmClients.md"),
        "QueryLanguage": sections(PROTOCOL / "QueryLanguage.md"),
    }
    problems = []
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        problems += wrong_citations(path, text, known)
        if path != pathlib.Path(__file__).resolve():
            problems += citations_of_elsewhere(path, text)
        if path.suffix == ".md":
            problems += wrong_links(path, text)
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(1)


main()
