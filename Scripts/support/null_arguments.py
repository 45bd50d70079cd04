#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C program that passes NULL where the headers forbid it: for the handle of every function, and for every other
pointer and callback, a case for each.

    null_arguments.py HEADER … > null_arguments.c

A handle that is NULL ends in a message and an abort. So does another argument that is NULL, unless the function has a
status, which is INVALID_ARGUMENT then. Arrays are not among them: they may be NULL if they are empty (Tests/Misuse/arrays.c).
"""
import re
import sys

from c_contract import parse_headers

HANDLES = {
    "app", "user", "realm", "object", "list", "set", "dictionary", "query", "results", "notification_token",
    "subscription_set", "subscription_update", "session", "rejected_writes", "reference",
}
SCALAR = re.compile(r"^(bool|int|size_t|u?int\d+_t|flx_\w+_key_t|flx_\w+_mode_t|flx_direction_t|flx_aggregate_t"
                    r"|flx_name_conflict_t|flx_wait_for_sync_t|flx_log_level_t|flx_status_t)$")


class Argument:
    def __init__(self, parameter, following):
        self.name = parameter.name
        self.kind = parameter.base
        self.pointers = parameter.pointers
        self.is_handle = self.pointers == 1 and self.kind.startswith("flx_") and self.kind[4:-2] in HANDLES
        self.is_callback = not self.pointers and parameter.is_nullable is not None
        is_array = self.pointers and following and not following.pointers and following.name.endswith("_count")
        self.is_needed = parameter.is_nullable is False and not is_array

    def value(self, is_null):
        if self.is_callback:
            # Userdata is given back whatever becomes of the call.
            is_absent = is_null or self.kind == "flx_free_userdata_t"
            return f"({self.kind}){'nothing' if is_absent else 'never_called'}"
        if self.name == "error":
            return "&error"
        if self.pointers:
            return "nothing" if is_null else "memory"
        return f"({self.kind})0" if SCALAR.match(self.kind) else f"({self.kind}){{0}}"


def functions(paths):
    """Name, arguments, and whether there is a status, of each exported function that takes any."""
    for function in parse_headers(paths).functions:
        parameters = function.parameters
        if parameters:
            arguments = [Argument(one, (parameters[i + 1:] or [None])[0]) for i, one in enumerate(parameters)]
            yield function.name, arguments, function.result.type == "flx_status_t"


def cases(name, parameters, has_status):
    """The index of each argument to leave out, and whether that ends in a status."""
    for index, parameter in enumerate(parameters):
        # Behind a handle that is none, no other handle is looked at.
        if parameter.is_needed and (not parameter.is_handle or index == 0):
            yield index, has_status and not parameter.is_handle


def main():
    found = list(functions(sys.argv[1:]))
    print('#include "misuse.h"\n')
    print("static void *volatile nothing = NULL;\nstatic char zeros[65536];\nstatic void *volatile memory = zeros;\n")
    print("static void never_called(void) { abort(); }\n")
    table = []
    for name, parameters, has_status in found:
        for index, is_told in cases(name, parameters, has_status):
            argument = parameters[index].name
            call = f"{name}({', '.join(p.value(i == index) for i, p in enumerate(parameters))})"
            words = f"{name}: the argument '{argument}' is NULL"
            print(f"static void {name}_{index}(void) {{")
            print(f"  EXPECT(FLX_STATUS_INVALID_ARGUMENT, {call});\n  SAYS(\"{words}\");" if is_told else f"  (void){call};")
            print("}\n")
            table.append((f"{name} without {argument}", f"{name}_{index}", "NULL" if is_told else f'"FlexSync: {words}"'))
    print("static const misuse_case_t CASES[] = {")
    for title, function, words in table:
        print(f'    {{"{title}", {function}, {words}}},')
    print("};\n\nMISUSE_MAIN(CASES)")


main()
