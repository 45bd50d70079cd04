#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rewrites C headers as those of a later version, whose structs have more members: for Scripts/test-growth.

    grow_headers.py FOLDER     with flexsync.h, flexsync/ and abi_checks.c

A struct that begins with `struct_size` gets members at its end, and so does one that only the library makes. One with
`reserved` gets a member in that room.
"""
import pathlib
import re
import sys

LENT = {"flx_object_changes", "flx_collection_changes", "flx_dictionary_changes", "flx_sync_error", "flx_progress"}


def grown(found):
    name, members, end = found.groups()
    room = re.search(r"\n  uint64_t reserved\[(\d+)\];\n$", members)
    if room:
        return (f"struct {name} {{{members[:room.start()]}\n  /** New. */\n  uint64_t grown;\n"
                f"  /** Zero. */\n  uint64_t reserved[{int(room.group(1)) - 1}];\n{end}")
    if name in LENT or re.search(r"\n  size_t struct_size;\n", members):
        return f"struct {name} {{{members}  /** New. */\n  uint64_t grown[6];\n{end}"
    return found.group()


def main(folder):
    count = 0
    for path in sorted((folder / "flexsync").glob("*.h")):
        text, changed = re.subn(r"struct (flx_\w+) \{(.*?\n)(\} flx_\w+_t;)", grown, path.read_text(), flags=re.S)
        count += text.count("grown")
        path.write_text(text)
    checks = folder / "abi_checks.c"
    # Only the library makes it, so it may grow.
    checks.write_text("".join(line for line in checks.open() if "sizeof(flx_progress_t)" not in line))
    print(f"{count} structs have grown")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
