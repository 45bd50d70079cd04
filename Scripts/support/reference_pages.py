# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of the C contract from Include/flexsync.api.json: HTML pages, and man pages for section 3."""
import html
import re

WIDTH = 70
THREADS = {"any": "any", "realm": "the realm's", "loop": "the loop thread"}


# ---- comments ----


class Text:
    """The text of a comment: paragraphs, lists and code, and the comments of parameters."""

    def __init__(self, comment):
        self.parameters = []
        self.blocks = []
        body = re.sub(r"^@file\s+", "", comment)
        for block in re.split(r"\n\s*\n", body):
            self.add(block.rstrip())

    def add(self, block):
        if block.startswith("```") or (self.blocks and self.blocks[-1][0] == "open code"):
            self.add_code(block)
            return
        # A tag begins at the beginning of a line and ends with the next one.
        for part in re.split(r"\n(?=@|Errors|Thread|- )", block):
            words = " ".join(part.split())
            if found := re.fullmatch(r"@param (\w+) (.*)", words):
                self.parameters.append(found.groups())
            elif words.startswith("@return "):
                self.blocks.append(("text", "Returns " + words[len("@return "):]))
            elif words.startswith("- "):
                self.blocks.append(("item", words[2:]))
            elif words:
                self.blocks.append(("text", words))

    def add_code(self, block):
        if self.blocks and self.blocks[-1][0] == "open code":
            block = self.blocks.pop()[1] + "\n\n" + block
        kind = "code" if block.count("```") % 2 == 0 else "open code"
        self.blocks.append((kind, block))

    @staticmethod
    def code(block):
        return "\n".join(line for line in block.splitlines() if not line.startswith("```"))


def prototype(one):
    """The declaration of a function, a line for each parameter if it does not fit into one."""
    parameters = [declaration(each["type"], each["name"]) for each in one["parameters"]] or ["void"]
    line = declaration(one["result"]["type"], f"{one['name']}({', '.join(parameters)})")
    return line if len(line) <= WIDTH else declaration(one["result"]["type"], one["name"] + "(\n    " + ",\n    ".join(parameters) + ")")


def declaration(kind, name):
    found = re.fullmatch(r"(.*?)\s*(\[\w+\])", kind)
    if found:
        return f"{found.group(1)} {name}{found.group(2)}"
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def facts(one):
    """What the file knows of a function beside its comment: pairs of a word and a sentence."""
    result = [("Thread", THREADS.get(one["thread"], one["thread"]))]
    for each in one["parameters"]:
        if each["name"].startswith("out_") and "owned" in each:
            result.append(("Release", f"{each['name']} with `{each['owned']}`"))
    if "owned" in one["result"]:
        result.append(("Release", f"the result with `{one['result']['owned']}`"))
    if "lent" in one["result"]:
        result.append(("Valid", one["result"]["lent"]))
    if one.get("errors"):
        result.append(("Statuses", ", ".join(one["errors"])))
    if "blocking_twin" in one:
        result.append(("Blocking form", f"`{one['blocking_twin']}`"))
    return result


class Groups:
    """The declarations of each header."""

    def __init__(self, contract):
        self.contract = contract
        self.names = [one["name"] for one in contract["groups"]]
        self.comments = {one["name"]: one["comment"] for one in contract["groups"]}
        kinds = ("constants", "handles", "aliases", "enumerations", "structs", "callbacks", "functions")
        self.members = {name: {kind: [one for one in contract[kind] if one["group"] == name] for kind in kinds} for name in self.names}
        self.places = {one["name"]: one["group"] for kind in kinds for one in contract[kind]}
        self.statuses = next(one for one in contract["enumerations"] if one["name"] == "flx_status_t")

    def title(self, name):
        comment = Text(self.comments[name])
        return comment.blocks[0][1].split(". ")[0].rstrip(".")


# ---- HTML ----

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
pre { background: #f5f5f5; padding: .6rem .8rem; overflow-x: auto; white-space: pre-wrap; }
h2 { border-bottom: 1px solid #ddd; margin-top: 2.5rem; } h3 { margin-top: 2rem; }
dt { font-weight: 600; } dd { margin-left: 1.5rem; } table { border-collapse: collapse; } td { padding: .1rem 1rem .1rem 0; vertical-align: top; }
a { color: #0550ae; text-decoration: none; } a:hover { text-decoration: underline; }
"""


class HtmlPages:
    def __init__(self, groups):
        self.groups = groups

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in self.groups.names:
            (folder / f"{name}.html").write_text(self.page(name), encoding="utf-8")
        (folder / "index.html").write_text(self.index(), encoding="utf-8")

    def document(self, title, body):
        return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>{html.escape(title)}</title>'
                f"<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n")

    def index(self):
        version = self.groups.contract["version"]
        rows = "".join(f'<tr><td><a href="{name}.html"><code>{name}.h</code></a></td><td>{self.inline(self.groups.title(name))}</td></tr>\n'
                       for name in self.groups.names)
        functions = "".join(f'<li>{self.link(one["name"])}</li>\n' for one in sorted(self.groups.contract["functions"], key=lambda one: one["name"]))
        return self.document("FlexSync in C", f"<h1>FlexSync {version} in C</h1>\n<p>Include <code>flexsync.h</code> only; "
                             f"its comment is this:</p>\n{self.text(self.groups.contract['rules'])}\n"
                             f"<h2>Headers</h2>\n<table>{rows}</table>\n<h2>Functions</h2>\n<ul>{functions}</ul>")

    def page(self, name):
        members = self.groups.members[name]
        parts = [f'<p><a href="index.html">FlexSync in C</a></p><h1><code>{name}.h</code></h1>', self.text(self.groups.comments[name])]
        parts += self.section("Constants", members["constants"], lambda one: self.entry(one, f"#define {one['name']} {one['value']}"))
        parts += self.section("Handles and other names", members["handles"] + members["aliases"], self.type_name)
        parts += self.section("Enumerations", members["enumerations"], self.enumeration)
        parts += self.section("Structs", members["structs"], self.struct)
        parts += self.section("Callbacks", members["callbacks"], self.function)
        parts += self.section("Functions", members["functions"], self.function)
        return self.document(f"{name}.h", "\n".join(parts))

    @staticmethod
    def section(title, members, show):
        return [f"<h2>{title}</h2>"] + [show(one) for one in members] if members else []

    def entry(self, one, code, more=""):
        return f'<h3 id="{one["name"]}"><code>{one["name"]}</code></h3><pre>{self.linked(code)}</pre>{self.text(one["comment"])}{more}'

    def type_name(self, one):
        kind = one.get("type") or "struct " + one["name"][:-2]
        return self.entry(one, f"typedef {kind} {one['name']};")

    def enumeration(self, one):
        rows = "".join(f'<tr><td><code id="{each["name"]}">{each["name"]}</code></td><td>{each["value"]}</td>'
                       f'<td>{self.inline(" ".join(each["comment"].split()))}</td></tr>\n' for each in one["values"])
        return self.entry(one, f"enum {one['name']}", f"<table>{rows}</table>")

    def struct(self, one):
        members = "".join(self.member(each) for each in one["members"])
        return self.entry(one, f"struct {one['name']}", f"<dl>{members}</dl>")

    def member(self, one):
        inside = one.get("union") or [one]
        words = self.text(one["comment"]) if one.get("comment") else ""
        return "".join(f"<dt><code>{self.linked(declaration(each['type'], each['name']))}</code></dt>" for each in inside) + f"<dd>{words}</dd>"

    def function(self, one):
        rows = "".join(f"<tr><td>{word}</td><td>{self.inline(sentence)}</td></tr>" for word, sentence in facts(one))
        return self.entry(one, prototype(one) + ";", f"<table>{rows}</table>")

    def text(self, comment):
        text, parts, items = Text(comment), [], []
        for kind, words in text.blocks + [("end", "")]:
            if kind == "item":
                items.append(f"<li>{self.inline(words)}</li>")
                continue
            if items:
                parts.append(f"<ul>{''.join(items)}</ul>")
                items = []
            if kind == "text":
                parts.append(f"<p>{self.inline(words)}</p>")
            elif kind == "code":
                parts.append(f"<pre>{html.escape(Text.code(words))}</pre>")
        parameters = "".join(f"<dt><code>{name}</code></dt><dd>{self.inline(words)}</dd>" for name, words in text.parameters)
        return "\n".join(parts) + (f"<dl>{parameters}</dl>" if parameters else "")

    def inline(self, words):
        return re.sub(r"`([^`]*)`", lambda found: f"<code>{self.linked(found.group(1))}</code>", html.escape(words, quote=False))

    def linked(self, code):
        escaped = code if "&" in code else html.escape(code, quote=False)
        return re.sub(r"\b(flx_\w+)\b", lambda found: self.link(found.group(1)), escaped)

    def link(self, name):
        place = self.groups.places.get(name)
        return f'<a href="{place}.html#{name}">{name}</a>' if place else name


# ---- man pages ----


class ManPages:
    def __init__(self, groups):
        self.groups = groups

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in self.groups.names:
            (folder / f"flexsync_{name}.3").write_text(self.page(name), encoding="utf-8")
        (folder / "flexsync.3").write_text(self.overview(), encoding="utf-8")

    def heading(self, name, words):
        version = self.groups.contract["version"]
        return [f'.TH {name.upper()} 3 "" "FlexSync {version}" "FlexSync"', ".SH NAME", f"{self.escape(name)} \\- {self.inline(words)}"]

    def overview(self):
        lines = self.heading("flexsync", "an offline-first object database that syncs with a server")
        lines += [".SH SYNOPSIS", ".nf", "#include <flexsync.h>", ".PP", "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs flexsync)", ".fi"]
        lines += [".SH DESCRIPTION"] + self.text(self.groups.contract["rules"]) + [".SH PAGES"]
        for name in self.groups.names:
            lines += [".TP", f".BR flexsync_{name} (3)", self.inline(self.groups.title(name))]
        lines += [".SH STATUSES"]
        for each in self.groups.statuses["values"]:
            lines += [".TP", f".BR {each['name']} \" ({each['value']})\"", self.inline(each["comment"])]
        return "\n".join(lines) + "\n"

    def page(self, name):
        members = self.groups.members[name]
        lines = self.heading(f"flexsync_{name}", self.groups.title(name))
        lines += [".SH SYNOPSIS", ".nf", "#include <flexsync.h>"]
        for one in members["functions"]:
            lines += [".PP", *self.code(prototype(one) + ";")]
        lines += [".fi", ".SH DESCRIPTION"] + self.text(self.groups.comments[name])
        for one in members["enumerations"]:
            lines += self.entry(one) + [line for each in one["values"] for line in self.value(each)]
        for one in members["structs"]:
            lines += self.entry(one) + [line for each in one["members"] for line in self.member(each)]
        for one in members["handles"] + members["aliases"]:
            lines += self.entry(one)
        for one in members["callbacks"] + members["functions"]:
            lines += self.entry(one, prototype(one)) + [line for fact in facts(one) for line in self.fact(*fact)]
        return "\n".join(lines + [".SH SEE ALSO", ".BR flexsync (3)"]) + "\n"

    def entry(self, one, code=None):
        return [f".SS {one['name']}", ".nf", *self.code(code or one["name"]), ".fi", ".PP"] + self.text(one["comment"])

    def value(self, each):
        return [".TP", f".BR {each['name']} \" = {each['value']}\"", self.inline(" ".join(each["comment"].split())) or "\\&"]

    def member(self, one):
        shown = [self.escape(declaration(each["type"], each["name"])) for each in one.get("union") or [one]]
        return [".TP", ".B \"" + ", ".join(shown) + '"', self.inline(" ".join(one.get("comment", "").split())) or "\\&"]

    def fact(self, word, sentence):
        return [".TP", f".I {word}", self.inline(sentence)]

    def text(self, comment):
        text, lines = Text(comment), []
        for kind, words in text.blocks:
            if kind == "code":
                lines += [".PP", ".nf", *self.code(Text.code(words)), ".fi"]
            elif kind == "item":
                lines += [".IP \\(bu 2", self.inline(words)]
            else:
                lines += [".PP", self.inline(words)]
        for name, words in text.parameters:
            lines += [".TP", f".I {name}", self.inline(words)]
        return lines

    def code(self, text):
        return [self.escape(line) for line in text.splitlines()]

    def inline(self, words):
        return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", self.escape(words))

    @staticmethod
    def escape(words):
        words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
        return "\\&" + words if words.startswith(".") else words
