#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which module of Sources imports which, and which folder of a module names types of which other folder, and
fails where an arrow points the wrong way, where Package.swift declares something else than is imported, or where a
fuzzer names a file or folder that does not exist.

    module_graph.py [--folders]

Modules are the targets of Package.swift. Those in Sources/<layer> belong to that layer; a module may import modules of
its own layer, without going round in a circle, and of the layers below. Client and server do not know each other, and
the Swift layer knows nothing but the C contract, and that in its folder Bridge only. --folders prints the folders'
arrows, too.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

LAYERS = ["Foundation", "Shared", "Network", "Client", "Server", "Testing"]
BELOW = {
    "Foundation": set(), "Shared": {"Foundation"}, "Network": {"Foundation", "Shared"},
    "Client": {"Foundation", "Shared", "Network"}, "Server": {"Foundation", "Shared", "Network"},
    "Testing": set(LAYERS),
}
# The folders of this module still know each other, and so do those inside of Client/Client.
ENTANGLED = {"FlexSync"}
# Dependencies that are linked or started, and not imported.
NOT_IMPORTED = {
    ("FlexSync", "FlexSyncCore"), ("FlexSyncTests", "flexsyncd"), ("FlexSyncSeedExamples", "flexsyncd"),
    ("FlexSyncServerTests", "flexsyncd"), ("FlexSyncOpenCombineTests", "flexsyncd"),
    ("FlexSyncSwiftUITests", "flexsyncd"), ("FlexSyncCoreTests", "process-peer"),
}
# What Apple's platforms have in FlexSync itself.
OVER_OPEN_COMBINE = {"FlexSyncOpenCombine", "FlexSyncSwiftUI"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import (?:(?:class|enum|func|let|protocol|struct|typealias|var) )?(\w+)", re.M)
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
    def __init__(self, target):
        self.name = target["name"]
        self.path = ROOT / target["path"]
        self.kind = target["type"]
        self.dependencies = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        roots = [self.path / name for name in target.get("sources") or ["."]]
        excluded = [self.path / name for name in target.get("exclude", [])]
        self.files = [
            File(file) for root in roots for file in sorted(root.resolve().rglob("*.swift"))
            if not any(file.is_relative_to(other) for other in excluded)
        ]
        self.imports = set().union(*(file.imports for file in self.files)) if self.files else set()
        parts = pathlib.Path(target["path"]).parts
        self.layer = parts[1] if parts[0] == "Sources" and parts[1] in LAYERS else None

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


def read_modules():
    text = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout
    package = json.loads(text)
    return [Module(target) for target in package["targets"]]


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


def wrong_layers(modules, by_name):
    for module in modules:
        for name in sorted(module.imports & by_name.keys()):
            other = by_name[name].layer
            if other and other != module.layer and other not in BELOW[module.layer]:
                yield f"{module.name} ({module.layer}) imports {name} ({other})"
    for name in sorted(by_name["FlexSync"].imports & by_name.keys() - {"CFlexSync"}):
        yield f"FlexSync imports {name}; the Swift layer uses nothing but the C contract"
    swift = by_name["FlexSync"]
    for file in swift.files:
        if swift.folder_of(file) != "Bridge" and "CFlexSync" in file.imports:
            yield f"{file.path.name} imports CFlexSync; of the Swift layer, only the files of Bridge know the C contract"
    core = by_name["FlexSyncCore"]
    for file in core.files:
        if core.folder_of(file) == "Client" and "CFlexSync" in file.imports:
            yield f"{file.path.name} imports CFlexSync; the client knows only the values of the C contract"


def wrong_open_combine(modules):
    """Programs that use only FlexSync must not need the package."""
    for module in modules:
        if not module.layer or module.name in OVER_OPEN_COMBINE:
            continue
        for name in sorted(module.dependencies):
            if name.startswith("OpenCombine") or name in OVER_OPEN_COMBINE:
                yield f"Package.swift: {module.name} depends on {name}, and thereby on OpenCombine"


def wrong_circles(modules, by_name):
    for circle in circles({module.name: module.imports & by_name.keys() for module in modules}):
        yield f"the modules {', '.join(circle)} import each other"
    for module in modules:
        arrows = module.folder_arrows()
        for circle in circles(arrows) if module.name not in ENTANGLED else []:
            yield f"the folders {', '.join(circle)} of {module.name} know each other:"
            for folder in circle:
                for other in sorted(set(arrows[folder]) & set(circle)):
                    yield f"  {folder} -> {other}: {', '.join(sorted(arrows[folder][other])[:12])}"


def wrong_dependencies(modules):
    """Packages of others name products as their modules."""
    known = {module.name for module in modules} | set().union(*(module.dependencies for module in modules))
    for module in modules:
        if not module.files:
            continue
        for name in sorted(module.dependencies - module.imports):
            if (module.name, name) not in NOT_IMPORTED:
                yield f"Package.swift: {module.name} does not import {name}, on which it depends"
        for name in sorted(module.imports & known - module.dependencies - {module.name}):
            yield f"Package.swift: {module.name} imports {name} and does not depend on it"


def print_graph(modules, by_name):
    for module in modules:
        own = " ".join(name.removeprefix("FlexSync") or name for name in sorted(module.imports & by_name.keys()))
        print(f"{module.layer:11}{module.name:22}{sum(file.line_count for file in module.files):7}  {own}")
        if "--folders" in sys.argv:
            arrows = module.folder_arrows()
            for folder in sorted(arrows):
                for other in sorted(arrows[folder]):
                    print(f"             {folder} -> {other}: {', '.join(sorted(arrows[folder][other]))}")


def missing_fuzz_parts():
    for path in sorted((ROOT / "Tests/Fuzz").glob("*/modules")):
        for line in path.read_text().splitlines():
            folder, *parts = line.split()
            for part in parts or ["."]:
                if not (SOURCES / folder / part).exists():
                    yield f"{path.relative_to(ROOT)}: there is no {folder}/{part} in Sources"


def main():
    targets = read_modules()
    modules = sorted((module for module in targets if module.layer), key=lambda module: LAYERS.index(module.layer))
    by_name = {module.name: module for module in targets}
    print_graph(modules, by_name)
    problems = [
        *wrong_layers(modules, by_name), *wrong_circles(modules, by_name), *wrong_dependencies(targets),
        *wrong_open_combine(targets),
        *missing_fuzz_parts(),
    ]
    if problems:
        print("module_graph: the structure is broken\n" + "\n".join(problems), file=sys.stderr)
        sys.exit(1)


main()
