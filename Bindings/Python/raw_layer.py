# SPDX-License-Identifier: Apache-2.0
"""Generates the raw layer of the package, the extension module `flexsync._raw`, from flexsync.api.json.

The module has every function, struct, enumeration and constant of the C contract under its C name. For each kind of
callback it also has `flexsync_call_<kind>`, a C function to pass to the library, which calls the Python function
`flexsync_on_<kind>`, unless the interpreter is about to end; and for each handle `flexsync_drop_<handle>`, which releases
it unless the interpreter is about to end.
"""
import json
import re
import sys
import textwrap

class RawLayer:
    def __init__(self, contract):
        self.contract = contract
        self.constants = {one["name"]: one["value"] for one in contract["constants"]}
        self.structs = {one["name"]: one for one in contract["structs"]}
        self.callbacks = {one["name"]: one for one in contract["callbacks"]}
        self.aliases = {one["name"]: one for one in contract["aliases"]}

    # ---- declarations for cffi ----

    def declarations(self):
        names = [one["name"] for one in self.contract["handles"]] + list(self.structs)
        lines = [f"#define {name} {self.number(value)}" for name, value in self.constants.items()]
        lines += [f"typedef struct {name[:-2]} {name};" for name in names]
        lines += [self.enumeration(one) for one in self.contract["enumerations"]]
        lines += [self.ordered(name) for name in self.contract["order"]]
        lines += [self.prototype(one) + ";" for one in self.contract["functions"]]
        lines += [f"void {self.drop_name(one)}({one['name']} *handle);" for one in self.contract["handles"]]
        lines += [self.prototype(one, self.call_name(one)) + ";" for one in self.called()]
        lines += ["bool flexsync_close(uint32_t patience_ms);", "void flexsync_forked(void);", 'extern "Python+C" {']
        lines += [self.prototype(one, self.handler_name(one)) + ";" for one in self.called()] + ["}"]
        return "\n".join(lines) + "\n"

    @staticmethod
    def number(value):
        return value if re.fullmatch(r"\d+", value) else "..."

    @staticmethod
    def enumeration(one):
        values = ", ".join(f"{value['name']} = {value['value']}" for value in one["values"])
        return f"typedef enum {{ {values} }} {one['name']};"

    def ordered(self, name):
        if name in self.aliases:
            return f"typedef {self.aliases[name]['type']} {name};"
        if name in self.callbacks:
            return f"typedef {self.prototype(self.callbacks[name], f'(*{name})')};"
        members = " ".join(self.member(one) for one in self.structs[name]["members"])
        return f"struct {name[:-2]} {{ {members} }};"

    def member(self, one):
        if "union" in one:
            return "union { " + " ".join(self.member(inside) for inside in one["union"]) + " };"
        return self.declaration(one["type"], one["name"]) + ";"

    def declaration(self, kind, name):
        kind, array = re.fullmatch(r"(.*?)(\[\w+\])?", kind).groups()
        size = array[1:-1] if array else ""
        return f"{kind.strip()} {name}" + (f"[{self.constants.get(size, size)}]" if array else "")

    def prototype(self, one, name=None):
        parameters = ", ".join(self.declaration(each["type"], each["name"]) for each in one["parameters"])
        return f"{one['result']['type']} {name or one['name']}({parameters or 'void'})"

    # ---- C ----

    def source(self):
        """The C functions between the library and Python."""
        lines = [GATE]
        for one in self.contract["handles"]:
            lines.append(f"static void {self.drop_name(one)}({one['name']} *handle) {{\n"
                         f"  if (atomic_load(&flexsync_is_open)) {one['release']}(handle);\n}}\n")
        for one in self.called():
            lines.append(self.trampoline(one))
        return "\n".join(lines)

    def trampoline(self, one):
        arguments = ", ".join(each["name"] for each in one["parameters"])
        result = one["result"]["type"]
        call = f"{self.handler_name(one)}({arguments});"
        if result == "void":
            body = f"  {call}\n  flexsync_leave();\n"
            early = "return;"
        else:
            body = f"  {result} result = {call}\n  flexsync_leave();\n  return result;\n"
            early = f"return {'FLX_STATUS_CANCELED' if result == 'flx_status_t' else '0'};"
        return (f"{self.prototype(one, self.handler_name(one))};\n"
                f"static {self.prototype(one, self.call_name(one))} {{\n"
                f"  if (!flexsync_enter()) {early}\n{body}}}\n")

    def called(self):
        return self.contract["callbacks"]

    @staticmethod
    def short(one):
        return one["name"][len("flx_"):-len("_t")]

    def drop_name(self, one):
        return "flexsync_drop_" + self.short(one)

    def call_name(self, one):
        return "flexsync_call_" + self.short(one)

    def handler_name(self, one):
        return "flexsync_on_" + self.short(one)


GATE = """\
#include <flexsync.h>
#include <stdatomic.h>
#include <time.h>

/* Before the interpreter ends, the gate closes: a thread of the library that entered Python later would be killed by it in
   the middle of the library. */
static atomic_bool flexsync_is_open = true;
static atomic_int flexsync_inside;

static bool flexsync_enter(void) {
  atomic_fetch_add(&flexsync_inside, 1);
  if (atomic_load(&flexsync_is_open)) return true;
  atomic_fetch_sub(&flexsync_inside, 1);
  return false;
}

static void flexsync_leave(void) { atomic_fetch_sub(&flexsync_inside, 1); }

/* In a child process, the callbacks of the parent do not end. */
static void flexsync_forked(void) { atomic_store(&flexsync_inside, 0); }

/* Closes the gate, and waits until no callback runs. Returns whether that is so. */
static bool flexsync_close(uint32_t patience_ms) {
  atomic_store(&flexsync_is_open, false);
  for (uint32_t waited = 0; atomic_load(&flexsync_inside) > 0; waited++) {
    if (waited >= patience_ms) return false;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return true;
}
"""


#: The enumerations that the package shows, by their C names: the Python name, and the prefix of the values.
ENUMERATIONS = {
    "flx_status_t": ("Status", "FLX_STATUS_"),
    "flx_type_t": ("Type", "FLX_TYPE_"),
    "flx_collection_t": ("Collection", "FLX_COLLECTION_"),
    "flx_class_kind_t": ("ClassKind", "FLX_CLASS_"),
    "flx_schema_mode_t": ("SchemaMode", "FLX_SCHEMA_"),
    "flx_client_reset_mode_t": ("ClientResetMode", "FLX_CLIENT_RESET_"),
    "flx_open_mode_t": ("Download", "FLX_OPEN_"),
    "flx_link_state_t": ("LinkState", "FLX_LINK_"),
    "flx_subscription_state_t": ("SubscriptionState", "FLX_SUBSCRIPTION_"),
    "flx_wait_for_sync_t": ("WaitForSync", "FLX_WAIT_"),
    "flx_session_state_t": ("SessionState", "FLX_SESSION_"),
    "flx_connection_state_t": ("ConnectionState", "FLX_CONNECTION_"),
    "flx_direction_t": ("Direction", "FLX_DIRECTION_"),
    "flx_rejected_write_state_t": ("RejectedWriteState", "FLX_REJECTED_WRITE_"),
    "flx_user_state_t": ("UserState", "FLX_USER_"),
    "flx_log_level_t": ("LogLevel", "FLX_LOG_"),
    "flx_watch_event_t": ("WatchEvent", "FLX_WATCH_"),
}


OPEN_ENUMERATION = '''\
class OpenEnumeration(IntEnum):
    """An enumeration to which a later version of the library may add values; those have names such as UNKNOWN_7."""

    @classmethod
    def _missing_(cls, value: object) -> "OpenEnumeration | None":
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member

    def __str__(self) -> str:
        return self.name'''


def enumerations_module(contract):
    """The text of src/flexsync/enumerations.py."""
    by_name = {one["name"]: one for one in contract["enumerations"]}
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# Made by raw_layer.py from flexsync.api.json; do not edit.",
             '"""The enumerations of the library."""', "", "from enum import IntEnum", "", "", OPEN_ENUMERATION]
    for c_name, (name, prefix) in ENUMERATIONS.items():
        one = by_name[c_name]
        lines += ["", "", f"class {name}(OpenEnumeration):", f'    """{sentence(one["comment"])}"""', ""]
        for value in one["values"]:
            lines.append(f"    {value['name'].removeprefix(prefix)} = {value['value']}")
            if value["comment"]:
                lines.append(f'    """{sentence(value["comment"])}"""')
    return "\n".join(lines) + "\n"


def sentence(comment):
    """A comment as a docstring of one line, or of lines that are not too long."""
    text = " ".join(comment.split())
    return "\n    ".join(textwrap.wrap(text, 112)) if len(text) > 110 else text


def raw_layer(path):
    with open(path, encoding="utf-8") as file:
        return RawLayer(json.load(file))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as contract_file:
        sys.stdout.write(enumerations_module(json.load(contract_file)))
