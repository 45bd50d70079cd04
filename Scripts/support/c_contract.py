# SPDX-License-Identifier: Apache-2.0
"""Parses the headers of the C contract: a regular subset of C, in which each declaration has a comment before it.

    contract = parse_headers([Path("Include/flexsync/base.h"), …])

A header that leaves the subset makes the parser fail rather than guess.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path


class ContractError(Exception):
    """A header is not of the form that the parser knows."""


@dataclass
class Parameter:
    """A parameter of a function or callback, or a member of a struct."""

    name: str
    #: The C type without nullability, such as "const flx_value_t *".
    type: str
    #: Of a pointer: whether it may be NULL. Of anything else: None.
    is_nullable: "bool | None"
    comment: str = ""
    #: The members of an anonymous union.
    union: "list[Parameter]" = field(default_factory=list)

    @property
    def base(self):
        """The type without pointers and `const`."""
        return re.sub(r"\bconst\b|\*|\[.*\]", " ", self.type).strip()

    @property
    def pointers(self):
        return self.type.count("*")


@dataclass
class Function:
    name: str
    result: Parameter
    parameters: "list[Parameter]"
    comment: str
    group: str


@dataclass
class Enumeration:
    name: str
    #: Name, number and comment of each value.
    values: "list[tuple[str, int, str]]"
    comment: str
    group: str


@dataclass
class Struct:
    name: str
    members: "list[Parameter]"
    comment: str
    group: str


@dataclass
class Named:
    """A handle, or another name of a C type, which `value` is; or a constant with its value."""

    name: str
    value: str
    comment: str
    group: str


@dataclass
class Contract:
    #: The comment of each header, by name without ending.
    groups: "dict[str, str]" = field(default_factory=dict)
    handles: "list[Named]" = field(default_factory=list)
    aliases: "list[Named]" = field(default_factory=list)
    constants: "list[Named]" = field(default_factory=list)
    enumerations: "list[Enumeration]" = field(default_factory=list)
    structs: "list[Struct]" = field(default_factory=list)
    callbacks: "list[Function]" = field(default_factory=list)
    functions: "list[Function]" = field(default_factory=list)
    #: Names of structs, callbacks and aliases in the order of their declaration, which C needs.
    order: "list[str]" = field(default_factory=list)


def parse_headers(paths):
    contract = Contract()
    for path in paths:
        Header(Path(path).stem, Path(path).read_text(encoding="utf-8"), contract).parse()
    structs = {struct.name for struct in contract.structs}
    contract.handles = [handle for handle in contract.handles if handle.name not in structs]
    return contract


COMMENT = re.compile(r"/\*(\*?)(.*?)\*/", re.S)
NULLABILITY = re.compile(r"FLX_NONNULL|FLX_NULLABLE")


def comment_text(inside):
    """The text of a comment without the stars before its lines."""
    lines = [re.sub(r"^\s*\* ?", "", line.rstrip()) for line in inside.strip().splitlines()]
    return "\n".join(lines).strip()


def declared(text, comment=""):
    """A parameter, member or result from its declaration."""
    text = " ".join(text.split())
    array = re.search(r"\[(\w+)\]$", text)
    text = text[: array.start()] if array else text
    found = re.fullmatch(r"(.*?)(\w+)", text)
    if not found:
        raise ContractError(f"no declaration: '{text}'")
    return typed(found.group(1) + (array.group() if array else ""), found.group(2), comment)


def typed(text, name, comment=""):
    macros = NULLABILITY.findall(text)
    kind = re.sub(r"\s*\*\s*", " *", NULLABILITY.sub("", text)).replace("* *", "**").strip()
    kind = " ".join(kind.replace("*const", "* const").split())
    # The last macro is that of the outermost pointer. A callback has one without being a pointer itself.
    return Parameter(name, kind, macros[-1] == "FLX_NULLABLE" if macros else None, comment)


def parameters(text):
    texts = [one for one in (part.strip() for part in text.split(",")) if one]
    return [] if texts == ["void"] else [declared(one) for one in texts]


class Header:
    def __init__(self, group, source, contract):
        self.group = group
        self.contract = contract
        self.status_map = re.search(r"#define FLX_STATUS_MAP\(XX\)(.*?)\n\n", source, re.S)
        self.source = re.sub(r"\bFLX_(BEGIN|END)_DECLS\b(?!\w)", "", self.without_directives(source))
        if group not in contract.groups:
            title = re.search(r"/\*\*\s*\n?\s*\*?\s*@file (.*?)\*/", source, re.S)
            contract.groups[group] = comment_text(title.group(1)) if title else ""

    def without_directives(self, source):
        """Removes preprocessor lines, and notes constants with their comments."""
        for found in re.finditer(r"(?:/\*\*(?P<comment>[^/]*?)\*/\n)?#define (?P<name>FLX_\w+) (?P<value>[^\\\n]+)\n", source):
            value = found["value"].strip()
            if re.fullmatch(r"\d+|UINT64_MAX", value):
                comment = comment_text(found["comment"] or "")
                self.contract.constants.append(Named(found["name"], value, comment, self.group))
        # A comment before a directive belongs to it.
        source = re.sub(r"^/\*\*[^/]*?\*/\n(?=#)", "", source, flags=re.M)
        return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", source, flags=re.M)

    def parse(self):
        position, comment = 0, ""
        while True:
            position += len(re.match(r"\s*", self.source[position:]).group())
            if position >= len(self.source):
                return
            found = COMMENT.match(self.source, position)
            if found:
                comment = comment_text(found.group(2)) if found.group(1) else ""
                position = found.end()
                continue
            end = self.end_of_declaration(position)
            self.declaration(self.source[position:end], comment)
            position, comment = end + 1, ""

    def end_of_declaration(self, position):
        depth = 0
        for found in re.compile(r"/\*.*?\*/|[{};]", re.S).finditer(self.source, position):
            depth += {"{": 1, "}": -1}.get(found.group(), 0)
            if found.group() == ";" and depth == 0:
                return found.start()
        raise ContractError(f"{self.group}.h: a declaration does not end: {self.source[position:position + 60]}")

    def declaration(self, text, comment):
        contract = self.contract
        if found := re.fullmatch(r"FLX_API\s+(.*?)(flx_\w+)\((.*)\)", text, re.S):
            result = typed(" ".join(found.group(1).split()), "")
            contract.functions.append(Function(found.group(2), result, parameters(found.group(3)), comment, self.group))
        elif found := re.fullmatch(r"typedef (.*?)\(\*(flx_\w+)\)\((.*)\)", text, re.S):
            result = typed(found.group(1), "")
            contract.callbacks.append(Function(found.group(2), result, parameters(found.group(3)), comment, self.group))
            contract.order.append(found.group(2))
        elif found := re.fullmatch(r"typedef enum FLX_ENUM flx_\w+ FLX_INT32 \{(.*)\}\s*(flx_\w+)", text, re.S):
            contract.enumerations.append(Enumeration(found.group(2), self.values(found.group(1)), comment, self.group))
        elif found := re.fullmatch(r"(?:typedef )?struct flx_\w+ \{(.*)\}\s*(flx_\w+)", text, re.S):
            contract.structs.append(Struct(found.group(2), self.members(found.group(1)), comment, self.group))
            contract.order.append(found.group(2))
        elif found := re.fullmatch(r"typedef struct flx_\w+ (flx_\w+)", text):
            contract.handles.append(Named(found.group(1), "", comment, self.group))
        elif found := re.fullmatch(r"typedef (\w+) (flx_\w+)", text):
            contract.aliases.append(Named(found.group(2), found.group(1), comment, self.group))
            contract.order.append(found.group(2))
        else:
            raise ContractError(f"{self.group}.h: not understood: {text[:80]}")

    def values(self, inside):
        if "FLX_STATUS_MAP" in inside:
            rows = re.findall(r'XX\((\w+), (\d+),\s*"(.*?)"\)', self.status_map.group(1))
            return [("FLX_STATUS_" + name, int(number), meaning) for name, number, meaning in rows]
        values, comment = [], ""
        for found in re.finditer(r"/\*\*(?P<comment>.*?)\*/|(?P<name>FLX_\w+) = (?P<number>-?\d+)", inside, re.S):
            if found["name"]:
                values.append((found["name"], int(found["number"]), comment))
                comment = ""
            else:
                comment = comment_text(found["comment"])
        return values

    def members(self, inside):
        members, comment, position = [], "", 0
        pattern = re.compile(r"/\*\*(?P<comment>.*?)\*/|union \{(?P<union>.*?)\};|(?P<member>[^;/{}]+);", re.S)
        while found := pattern.search(inside, position):
            position = found.end()
            if found["comment"] is not None:
                comment = comment_text(found["comment"])
                continue
            if found["union"] is not None:
                union = [declared(one) for one in found["union"].split(";") if one.strip()]
                members.append(Parameter("", "union", None, comment, union))
            else:
                members.append(declared(found["member"], comment))
            comment = ""
        return members
