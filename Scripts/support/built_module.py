# SPDX-License-Identifier: Apache-2.0
"""Where `swift build --build-tests` has put the module FlexSync, and how other programs of the toolchain find it."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "Sources/Client/FlexSync/FlexSync.docc"


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def import_options(build_options):
    """The options with which the compiler imports FlexSync. `build_options` are those that the build was run with."""
    # `Scripts/test` says where it has built.
    built = os.environ.get("FLEXSYNC_BUILT") or output("swift", "build", "--show-bin-path", *build_options).strip()
    modules = pathlib.Path(built) / "Modules"
    if not (modules / "FlexSync.swiftmodule").exists():
        sys.exit(f"{sys.argv[0]}: there is no module FlexSync in {modules}; run swift build --build-tests")
    target = json.loads(output("swiftc", "-print-target-info"))["target"]["triple"]
    return ["-target", target, "-I", str(modules), "-Xcc", f"-fmodule-map-file={ROOT / 'Include/module.modulemap'}"]
