#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps cmake/flexsync.map, the linker's list of the functions that the library exports, like Include/flexsync.api.json.

    symbols.py --check    fails if they differ
    symbols.py --write    puts new functions into the list

A function stands below the minor version that had it first, FLEXSYNC_0.1 for 0.1.x, so that the loader refuses a program
that needs a newer library. What an earlier version has must stay. A version that breaks the binary interface raises
FLEXSYNC_SOVERSION in CMakeLists.txt, deletes the list, and has it written anew.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "cmake/flexsync.map"
CONTRACT = ROOT / "Include/flexsync.api.json"
HEAD = """\
# What libflexsync exports, by the minor version that had it first. Scripts/support/symbols.py --write adds functions.
"""


def listed():
    """The functions in the list, by their symbol version, oldest first."""
    text = MAP.read_text(encoding="utf-8") if MAP.exists() else ""
    return {
        version: set(re.findall(r"\bflx_\w+(?=;)", body))
        for version, body in re.findall(r"^(FLEXSYNC_[0-9.]+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    }


def wanted(contract, versions):
    """The list as it should be. Ends the program where a function has gone that an earlier version exports."""
    names = {function["name"] for function in contract["functions"]}
    current = "FLEXSYNC_" + ".".join(contract["version"].split(".")[:2])
    result = {version: functions for version, functions in versions.items() if version != current}
    earlier = set().union(*result.values())
    gone = sorted(earlier - names)
    if gone:
        sys.exit(
            f"symbols: earlier versions export {', '.join(gone)}, which flexsync.api.json does not have. Keep such functions, "
            "or raise FLEXSYNC_SOVERSION in CMakeLists.txt, delete cmake/flexsync.map, and run Scripts/support/symbols.py --write"
        )
    if names - earlier:
        result[current] = names - earlier
    return result


def text_of(versions):
    parts, previous = [HEAD], ""
    for number, (version, functions) in enumerate(versions.items()):
        lines = "".join(f"    {name};\n" for name in sorted(functions))
        local = "  local:\n    *;\n" if number == 0 else ""
        parts.append(f"{version} {{\n  global:\n{lines}{local}}}{previous};\n")
        previous = f" {version}"
    return "\n".join(parts)


def main(arguments):
    versions = listed()
    text = text_of(wanted(json.loads(CONTRACT.read_text(encoding="utf-8")), versions))
    if arguments == ["--write"]:
        MAP.write_text(text, encoding="utf-8")
    elif arguments == ["--check"]:
        if not MAP.exists() or MAP.read_text(encoding="utf-8") != text:
            sys.exit("symbols: cmake/flexsync.map lists other functions than flexsync.api.json; run Scripts/support/symbols.py --write")
        print(f"symbols: cmake/flexsync.map lists the {sum(map(len, versions.values()))} functions of flexsync.api.json")
    else:
        sys.exit(__doc__.strip())


main(sys.argv[1:])
