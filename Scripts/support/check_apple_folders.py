#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Type-checks FlexSync as Apple's platforms compile it: as one module with its folders for Combine and SwiftUI. In place of
the frameworks it gets modules of their names with what there is here, OpenCombine and the stubs of SwiftUI.

    check_apple_folders.py [OPTION OF swift build …]

It needs the modules that `swift build --build-tests` has made, with the same options.
"""
import pathlib
import subprocess
import sys
import tempfile

from built_module import ROOT, import_options

STAND_INS = {"Combine": ["OpenCombine", "OpenCombineDispatch"], "SwiftUI": ["SwiftUIStubs"]}
SOURCES = ROOT / "Sources/Client/FlexSync"


def compile_swift(options, *arguments):
    command = ["swiftc", "-swift-version", "6", *options, *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode or "warning:" in result.stdout:
        sys.exit(result.stdout)


def main():
    options = import_options(sys.argv[1:])
    modules = pathlib.Path(options[options.index("-I") + 1])
    helpers = modules.parent / "COpenCombineHelpers.build/module.modulemap"
    with tempfile.TemporaryDirectory() as folder:
        options += ["-Xcc", f"-fmodule-map-file={helpers}", "-I", folder]
        for name, parts in STAND_INS.items():
            source = pathlib.Path(folder) / f"{name}.swift"
            source.write_text("".join(f"@_exported import {part}\n" for part in parts))
            output = source.with_suffix(".swiftmodule")
            compile_swift(options, "-emit-module", "-module-name", name, "-o", output, source)
        options += ["-typecheck", "-module-name", "FlexSync", "-package-name", "flexsync"]
        compile_swift(options, *sorted(SOURCES.rglob("*.swift")))


main()
