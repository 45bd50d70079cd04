#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C program that passes NULL for the handle of every function of the headers, a case for each.

    null_handles.py HEADER … > null_handles.c
"""
import re
import sys

HANDLES = {
    "app", "user", "realm", "object", "list", "set", "dictionary", "query", "results", "notification_token",
    "subscription_set", "subscription_update", "session", "rejected_writes",
}
# They do nothing with NULL.
TAKE_NULL = re.compile(r"_release$|^flx_subscription_update_cancel$")
SCALAR = re.compile(r"^(bool|int|size_t|u?int\d+_t|flx_\w+_key_t|flx_\w+_mode_t|flx_direction_t|flx_aggregate_t"
                    r"|flx_name_conflict_t|flx_wait_for_sync_t)$")


def arguments(text):
    """The argument to pass for each parameter of a declaration."""
    for parameter in text.split(","):
        words = re.sub(r"FLX_NONNULL|FLX_NULLABLE|const", " ", parameter)
        kind = re.match(r"\s*(\w+)", words).group(1)
        pointers = words.count("*")
        if pointers == 1 and re.fullmatch(r"flx_(\w+)_t", kind) and kind[4:-2] in HANDLES:
            yield "nothing"
        elif pointers:
            yield "memory"
        elif kind.endswith(("_callback_t", "_completion_t", "_observer_t", "_changed_t")) or kind == "flx_completion_t":
            yield f"({kind})never_called"
        elif kind == "flx_free_userdata_t":
            yield "NULL"
        elif SCALAR.match(kind):
            yield f"({kind})0"
        else:
            yield f"({kind}){{0}}"


def functions(source):
    """Name and parameters of each exported function whose first parameter is a handle."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    for match in re.finditer(r"FLX_API[^;{}]*?\b(flx_\w+)\(([^;]*)\);", source, flags=re.S):
        name, parameters = match.group(1), " ".join(match.group(2).split())
        first = re.match(r"(?:const )?flx_(\w+)_t \*", parameters)
        if first and first.group(1) in HANDLES and not TAKE_NULL.search(name):
            yield name, list(arguments(parameters))


def main():
    found = [one for path in sys.argv[1:] for one in functions(open(path, encoding="utf-8").read())]
    print('#include "misuse.h"\n')
    print("static void *volatile nothing = NULL;\nstatic char zeros[65536];\nstatic void *volatile memory = zeros;\n")
    print("static void never_called(void) { abort(); }\n")
    for name, values in found:
        print(f"static void null_{name}(void) {{ (void){name}({', '.join(values)}); }}")
    print("\nstatic const misuse_case_t CASES[] = {")
    for name, _ in found:
        print(f'    {{"{name} of NULL", null_{name}, "FlexSync: {name}: the argument \'"}},')
    print("};\n\nMISUSE_MAIN(CASES)")


main()
