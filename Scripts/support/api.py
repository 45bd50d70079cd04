#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Include/flexsync.api.json, the contract for programs to read, from the headers and what their comments state.

    api.py --write     writes the file
    api.py --check     fails if the file is out of date, or if a declaration has no comment

Generators of bindings read the file; Docs/PublicAPI.md describes its members.
"""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from c_contract import ContractError, comment_text, parse_headers  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "Include/flexsync.api.json"
FORMAT = 1
#: Handles that the general rules of flexsync.h let any thread use.
SHARED_HANDLES = {"flx_app_t", "flx_user_t", "flx_session_t", "flx_reference_t"}


def headers():
    """The headers in the order in which flexsync.h includes them."""
    umbrella = (ROOT / "Include/flexsync.h").read_text(encoding="utf-8")
    return [ROOT / "Include" / name for name in re.findall(r'#include "(flexsync/\w+\.h)"', umbrella)]


def general_rules():
    """The comment of flexsync.h, with the rules for all functions."""
    umbrella = (ROOT / "Include/flexsync.h").read_text(encoding="utf-8")
    return comment_text(re.search(r"/\*\*(.*?)\*/", umbrella, re.S).group(1))


class Exporter:
    def __init__(self, contract):
        self.contract = contract
        self.handles = {handle.name for handle in contract.handles}
        self.callbacks = {callback.name for callback in contract.callbacks}
        self.functions = {function.name: function for function in contract.functions}
        statuses = next(one for one in contract.enumerations if one.name == "flx_status_t")
        self.statuses = {name.removeprefix("FLX_STATUS_"): number for name, number, _ in statuses.values}

    def export(self):
        contract = self.contract
        version = [one.value for one in contract.constants if one.name.startswith("FLX_VERSION")]
        return {
            "format": FORMAT,
            "version": ".".join(version),
            "rules": general_rules(),
            "groups": [self.group(name) for name in contract.groups],
            "constants": [self.named(one, "value") for one in contract.constants],
            "handles": [dict(self.named(one), release=self.release_of(one.name)) for one in contract.handles],
            "aliases": [self.named(one, "type") for one in contract.aliases],
            "enumerations": [self.enumeration(one) for one in contract.enumerations],
            "structs": [self.struct(one) for one in contract.structs],
            "callbacks": [self.function(one, is_callback=True) for one in contract.callbacks],
            "order": contract.order,
            "functions": [self.function(one) for one in contract.functions],
        }

    def group(self, name):
        return {"name": name, "comment": self.contract.groups[name], "errors": self.errors_of_group(name)}

    def errors_of_group(self, name):
        """What the comment of a header says that its requests can fail with."""
        found = re.search(r"can (?:also )?fail with (.*?)\. `", self.contract.groups[name], re.S)
        return self.named_statuses(found.group(1)) if found else []

    def errors_of_header(self, one):
        is_request = one.name.endswith("_blocking") or any("completion" in each.base for each in one.parameters)
        return set(self.errors_of_group(one.group)) if is_request else set()

    @staticmethod
    def named(one, value_name=None):
        result = {"name": one.name, "group": one.group, "comment": one.comment}
        return dict(result, **{value_name: one.value}) if value_name else result

    @staticmethod
    def enumeration(one):
        values = [{"name": name, "value": number, "comment": comment} for name, number, comment in one.values]
        return {"name": one.name, "group": one.group, "comment": one.comment, "values": values}

    def struct(self, one):
        return {
            "name": one.name, "group": one.group, "comment": one.comment,
            "members": [self.member(member) for member in one.members],
        }

    def member(self, member):
        result = self.typed(member)
        if member.union:
            result["union"] = [self.typed(one) for one in member.union]
        return result

    @staticmethod
    def typed(one):
        result = {"name": one.name, "type": one.type}
        if one.is_nullable is not None:
            result["nullable"] = one.is_nullable
        if one.comment:
            result["comment"] = one.comment
        return result

    # ---- functions ----

    def function(self, one, is_callback=False):
        result = {
            "name": one.name, "group": one.group, "comment": one.comment,
            "thread": self.thread(one, is_callback),
            "result": self.result(one),
            "parameters": [self.parameter(one, index) for index in range(len(one.parameters))],
        }
        if not is_callback:
            result["errors"] = sorted(self.errors(one) | self.errors_of_header(one), key=self.statuses.get)
            if one.name + "_blocking" in self.functions:
                result["blocking_twin"] = one.name + "_blocking"
            if twin := self.twin(one):
                result["blocking_twin_of"] = twin
        return result

    def twin(self, one):
        name = one.name.removesuffix("_blocking")
        return name if name != one.name and name in self.functions else None

    def result(self, one):
        result = {"type": one.result.type}
        if one.result.is_nullable is not None:
            result["nullable"] = one.result.is_nullable
        comment = one.comment
        if one.result.pointers and one.result.base in self.handles:
            if one.name.endswith("_retain") or "caller releases it" in comment:
                result["owned"] = self.release_of(one.result.base)
        elif re.search(r"[Ff]ree it with\s+`flx_free`", comment) and one.result.pointers:
            result["owned"] = "flx_free"
        if "Static memory" in comment:
            result["lent"] = "for ever"
        elif one.result.type == "flx_string_t" or "owned" not in result:
            if lent := re.search(r"Borrowed from (the \w+|`\w+`)", comment):
                result["lent"] = "while " + lent.group(1) + " is not released"
        return result

    def parameter(self, one, index):
        parameter = one.parameters[index]
        result = self.typed(parameter)
        following = one.parameters[index + 1].name if index + 1 < len(one.parameters) else ""
        comment = self.comments_of_parameters(one.comment).get(parameter.name)
        if comment:
            result["comment"] = comment
        if parameter.name.startswith("out_"):
            result["direction"] = "out"
            self.describe_output(result, parameter, one.comment, comment or "")
        elif parameter.name == "error" and parameter.base == "flx_error_t" and "const" not in parameter.type:
            result["direction"] = "out"
        elif parameter.name in ("userdata", "free_userdata") or parameter.base in self.callbacks:
            result["direction"] = "callback"
        if parameter.pointers and re.fullmatch(r"(\w+_)?count", following) and not following.startswith("out_"):
            result["count"] = following
        return result

    def describe_output(self, result, parameter, comment, own_comment):
        if parameter.pointers == 2:
            result["owned"] = self.release_of(parameter.base) if parameter.base in self.handles else "flx_free"
        elif lent := re.search(r"[Bb]orrowed ((?:until|for|from) [^.;]*)", own_comment or comment):
            result["lent"] = " ".join(lent.group(1).split())

    @staticmethod
    def comments_of_parameters(comment):
        found = re.findall(r"^@param (\w+) (.*?)(?=^@|^Errors:|^Thread:|^Protocol §|\Z)", comment, re.S | re.M)
        return {name: " ".join(text.split()) for name, text in found}

    def release_of(self, handle):
        if handle == "flx_subscription_update_t":
            return "flx_subscription_update_cancel"
        return handle[:-2] + "_release"

    def thread(self, one, is_callback):
        """Where a function may be called, or a callback is: "any", "realm", "loop", "not the loop thread", or in words."""
        comment, group = " ".join(one.comment.split()), " ".join(self.contract.groups[one.group].split())
        if found := re.search(r"Thread(?: of the callback)?: (.*?)\.(?: |$)", comment):
            if is_callback or "of the callback" not in found.group():
                return self.thread_name(found.group(1))
        if re.search(r"Any thread\.", comment):
            return "any"
        if is_callback:
            return "realm" if "within `flx_realm" in comment or "callbacks run" in group else "any"
        if "Must not be called on the loop thread" in comment or one.name.endswith("_blocking"):
            return "not the loop thread"
        if "may be called from any thread" in group or not one.parameters:
            return "any"
        return "any" if one.parameters[0].base not in self.handles - SHARED_HANDLES else "realm"

    @staticmethod
    def thread_name(words):
        known = {"any": "any", "the realm's": "realm", "the loop thread": "loop"}
        return known.get(words, words)

    def errors(self, one, seen=()):
        """The statuses that the comment lists, and those of the functions to which it refers."""
        if one.name in seen:
            return set()
        seen = (*seen, one.name)
        comment = " ".join(one.comment.split())
        found = re.search(r"Errors(?: and thread)?:(.*)", comment)
        sentence = found.group(1) if found else ""
        result = set(self.named_statuses(sentence))
        referred = re.findall(r"(?:those of|as|and) `(flx_\w+)`", sentence)
        referred += re.findall(r"(?:[Ff]orm of|like) `(flx_\w+)`", comment)
        for name in referred:
            if name in self.functions:
                result |= self.errors(self.functions[name], seen)
        return result

    def named_statuses(self, text):
        names = re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", re.sub(r"`[^`]*`|\"[^\"]*\"", "", text))
        return sorted({name for name in names if name in self.statuses and name != "OK"}, key=self.statuses.get)


def uncommented(contract):
    every = (contract.functions + contract.callbacks + contract.structs + contract.enumerations + contract.handles
             + contract.aliases)
    return [one.name for one in every if not one.comment] + [name for name, text in contract.groups.items() if not text]


def contract_of_headers():
    """The contract as it is written to the file."""
    return Exporter(parse_headers(headers())).export()


def main(arguments):
    if arguments not in (["--write"], ["--check"]):
        sys.exit(__doc__.strip())
    contract = parse_headers(headers())
    text = json.dumps(Exporter(contract).export(), ensure_ascii=False, indent=1) + "\n"
    if arguments == ["--write"]:
        FILE.write_text(text, encoding="utf-8")
    if missing := uncommented(contract):
        sys.exit("api: these have no comment: " + ", ".join(missing))
    if FILE.read_text(encoding="utf-8") != text:
        sys.exit("api: Include/flexsync.api.json is out of date; run Scripts/support/api.py --write")
    print(f"api: {len(contract.functions)} functions and {len(contract.structs)} structs are in Include/flexsync.api.json")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ContractError as error:
        sys.exit(f"api: {error}")
