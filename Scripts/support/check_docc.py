#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation of the Swift layer and prints what DocC warns about: above all, links to symbols and
articles that do not exist. The title page has to list every type.

    check_docc.py [OPTION OF swift build …]

It needs the modules that `swift build --build-tests` has made, with the same options. The result is not kept.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

from built_module import CATALOGUE, ROOT, import_options

TITLE_PAGE = CATALOGUE / "FlexSync.md"
# Comments here describe the parameters that need it, and not always all of them.
ACCEPTED = re.compile(r"Parameter '.*' is missing documentation$")


def extract_symbols(options, folder):
    command = ["swift-symbolgraph-extract", "-module-name", "FlexSync", "-minimum-access-level", "public", *options]
    subprocess.run([*command, "-output-dir", str(folder)], cwd=ROOT, check=True)


def warnings(symbols, folder):
    diagnostics = folder / "diagnostics.json"
    command = ["docc", "convert", str(CATALOGUE), "--additional-symbol-graph-dir", str(symbols)]
    command += ["--fallback-bundle-identifier", "FlexSync", "--output-dir", str(folder / "FlexSync.doccarchive")]
    result = subprocess.run(
        [*command, "--diagnostics-file", str(diagnostics)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not diagnostics.exists():
        sys.exit(result.stdout)
    for diagnostic in json.loads(diagnostics.read_text())["diagnostics"]:
        if not ACCEPTED.match(diagnostic["summary"]):
            path = urllib.parse.unquote(urllib.parse.urlparse(diagnostic.get("source", "")).path)
            line = diagnostic.get("range", {}).get("start", {}).get("line", 1)
            yield f"{path.removeprefix(f'{ROOT}/')}:{line}: {diagnostic['summary']}"


def unlisted_types(symbols):
    graph = json.loads((symbols / "FlexSync.symbols.json").read_text())
    listed = set(re.findall(r"^- ``([\w():]+)``$", TITLE_PAGE.read_text(), re.M))
    for name in sorted({symbol["pathComponents"][0] for symbol in graph["symbols"]} - listed):
        yield f"{TITLE_PAGE.relative_to(ROOT)}:1: does not list {name}"


def main():
    options = import_options(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        symbols = pathlib.Path(folder) / "symbols"
        symbols.mkdir()
        extract_symbols(options, symbols)
        problems = [*warnings(symbols, pathlib.Path(folder)), *unlisted_types(symbols)]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(1)


main()
