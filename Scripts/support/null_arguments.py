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

HANDLES = {
    "app", "user", "realm", "object", "list", "set", "dictionary", "query", "results", "notification_token",
    "subscription_set", "subscription_update", "session", "rejected_writes", "reference",
}
SCALAR = re.compile(r"^(bool|int|size_t|u?int\d+_t|flx_\w+_key_t|flx_\w+_mode_t|flx_direction_t|flx_aggregate_t"
                    r"|flx_name_conflict_t|flx_wait_for_sync_t|flx_log_level_t|flx_status_t)$")


class Parameter:
    def __init__(self, text, following):
        self.name = re.search(r"(\w+)$", text).group(1)
        self.kind = re.match(r"\s*(\w+)", re.sub(r"FLX_NONNULL|FLX_NULLABLE|const", " ", text)).group(1)
        self.pointers = text.count("*")
        self.is_handle = self.pointers == 1 and self.kind.startswith("flx_") and self.kind[4:-2] in HANDLES
        self.is_callback = not self.pointers and "FLX_N" in text
        is_array = self.pointers and "*" not in following and following.endswith("_count")
        self.is_needed = "FLX_NONNULL" in text and not is_array

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


def functions(source):
    """Name, parameters, and whether there is a status, of each exported function."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    for match in re.finditer(r"FLX_API([^;{}]*?)\b(flx_\w+)\(([^;]*)\);", source, flags=re.S):
        texts = [text.strip() for text in " ".join(match.group(3).split()).split(",")]
        if texts != ["void"]:
            parameters = [Parameter(text, " ".join(texts[i + 1:i + 2])) for i, text in enumerate(texts)]
            yield match.group(2), parameters, match.group(1).split() == ["flx_status_t"]


def cases(name, parameters, has_status):
    """The index of each argument to leave out, and whether that ends in a status."""
    for index, parameter in enumerate(parameters):
        # Behind a handle that is none, no other handle is looked at.
        if parameter.is_needed and (not parameter.is_handle or index == 0):
            yield index, has_status and not parameter.is_handle


def main():
    found = [one for path in sys.argv[1:] for one in functions(open(path, encoding="utf-8").read())]
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
