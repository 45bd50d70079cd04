#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which module of Sources imports which, and which folder of a module names types of which other folder, and
fails where an arrow points the wrong way.

    module_graph.py [--folders]

A module is a folder of a layer: Sources/<layer>/<module>. It may import modules of its own layer, without going round
in a circle, and of the layers below. Client and server do not know each other. --folders prints the folders' arrows, too.
"""
import collections
import pathlib
import re
import sys

LAYERS = ["Foundation", "Shared", "Network", "Client", "Server", "Testing"]
BELOW = {
    "Foundation": set(), "Shared": {"Foundation"}, "Network": {"Foundation", "Shared"},
    "Client": {"Foundation", "Shared", "Network"}, "Server": {"Foundation", "Shared", "Network"},
    "Testing": set(LAYERS),
}
# The folders of these modules still know each other.
ENTANGLED = {"FlexSyncClient", "FlexSync"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
IMPORT = re.compile(r"^\s*(?:@\w+\s+)*import (?:\w+ )?(\w+)", re.M)
DECLARATION = re.compile(
    r"^( *)((?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|final|indirect|nonisolated|private|fileprivate)\s+)*)"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)", re.M)
COMMENT = re.compile(r"//.*")
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
NAME = re.compile(r"\b[A-Z]\w+\b")


class File:
    def __init__(self, path):
        self.path = path
        text = path.read_text()
        self.line_count = text.count("\n")
        self.imports = set(IMPORT.findall(text))
        declared = [(indent, name) for indent, access, name in DECLARATION.findall(text) if "private" not in access]
        self.types = {name for indent, name in declared if not indent}
        self.nested_types = {name for indent, name in declared if indent}
        self.names = set(NAME.findall(TEXT.sub("", COMMENT.sub("", text))))


class Module:
    def __init__(self, layer, path):
        self.layer, self.path = layer, path
        self.name = module_name(path.name)
        self.files = [File(file) for file in sorted(path.rglob("*.swift"))]
        self.imports = set().union(*(file.imports for file in self.files)) if self.files else set()

    def folder_of(self, file):
        parts = file.path.relative_to(self.path).parts
        return parts[0] if len(parts) > 1 else None

    def folder_arrows(self):
        """The folders that each folder names types of. Files beside the folders belong to none."""
        homes = collections.defaultdict(set)
        nested = collections.defaultdict(set)
        for file in self.files:
            for name in file.types:
                homes[name].add(self.folder_of(file))
            nested[self.folder_of(file)] |= file.nested_types
        arrows = collections.defaultdict(lambda: collections.defaultdict(set))
        for file in self.files:
            folder = self.folder_of(file)
            # A name that the folder gives a nested type means that one.
            for name in file.names - nested[folder]:
                if len(homes[name]) == 1 and (home := next(iter(homes[name]))) != folder and home and folder:
                    arrows[folder][home].add(f"{name} ({file.path.name})")
        return arrows


def module_name(folder):
    return folder if folder.lower() == folder or folder == "FlexSync" else f"FlexSync{folder}"


def circles(arrows):
    """Groups of nodes that can be reached from each other."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def main():
    modules = [Module(layer, path) for layer in LAYERS for path in sorted((SOURCES / layer).iterdir()) if path.is_dir()]
    by_name = {module.name: module for module in modules}
    problems = []
    for module in modules:
        own = sorted(name for name in module.imports if name in by_name)
        lines = sum(file.line_count for file in module.files)
        print(f"{module.layer:11}{module.name:22}{lines:7}  {' '.join(n.removeprefix('FlexSync') or n for n in own)}")
        for name in own:
            other = by_name[name].layer
            if other != module.layer and other not in BELOW[module.layer]:
                problems.append(f"{module.name} ({module.layer}) imports {name} ({other})")
        arrows = module.folder_arrows()
        if "--folders" in sys.argv:
            for folder in sorted(arrows):
                for other in sorted(arrows[folder]):
                    print(f"             {folder} -> {other}: {', '.join(sorted(arrows[folder][other]))}")
        for circle in circles(arrows) if module.name not in ENTANGLED else []:
            problems.append(f"the folders {', '.join(circle)} of {module.name} know each other:")
            for folder in circle:
                for other in sorted(set(arrows[folder]) & set(circle)):
                    problems.append(f"  {folder} -> {other}: {', '.join(sorted(arrows[folder][other])[:12])}")
    for circle in circles({m.name: [n for n in m.imports if n in by_name] for m in modules}):
        problems.append(f"the modules {', '.join(circle)} import each other")
    if problems:
        print("module_graph: these arrows point the wrong way\n" + "\n".join(problems), file=sys.stderr)
        sys.exit(1)


main()
