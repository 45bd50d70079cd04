# SPDX-License-Identifier: Apache-2.0
"""Builds the extension module `flexsync._raw` with cffi.

By default it is built for the installed library, which pkg-config finds. For another one, say where it is:

    FLEXSYNC_LIBRARY   the path of libflexsync.so, which then becomes part of the package
    FLEXSYNC_INCLUDE   the folder of flexsync.h and flexsync.api.json
"""
import os
import subprocess
import sys
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from raw_layer import raw_layer  # noqa: E402


def pkg_config(*arguments):
    return subprocess.run(["pkg-config", *arguments, "flexsync"], check=True, capture_output=True, text=True).stdout.strip()


def include_folder():
    if "FLEXSYNC_INCLUDE" in os.environ:
        return Path(os.environ["FLEXSYNC_INCLUDE"])
    checkout = HERE.parent.parent / "Include"
    return checkout if (checkout / "flexsync.h").exists() else Path(pkg_config("--variable=includedir"))


def contract_file(include):
    beside = include / "flexsync.api.json"
    return beside if beside.exists() else include.parent / "share/flexsync/flexsync.api.json"


def library():
    """The library that becomes part of the package, if one is given."""
    path = os.environ.get("FLEXSYNC_LIBRARY")
    return Path(path).resolve() if path else None


def soname(path):
    """The name under which programs look for a library."""
    dump = subprocess.run(["readelf", "--dynamic", str(path)], check=True, capture_output=True, text=True).stdout
    names = [line.split("[")[1].split("]")[0] for line in dump.splitlines() if "(SONAME)" in line]
    return names[0] if names else path.name


def link_options():
    path = library()
    if path is None:
        folder = pkg_config("--variable=libdir")
        # The loader may not search this folder. Packages for a system, which put the library where it does, set this to
        # an empty text.
        runpath = os.environ.get("FLEXSYNC_RUNPATH", folder)
        return {
            "library_dirs": [folder],
            "runtime_library_dirs": [runpath] if runpath else [],
            "libraries": ["flexsync"],
        }
    # Named with -l, a library without SONAME is looked for by its file name and not by its path.
    return {"extra_link_args": [f"-L{path.parent}", f"-l:{path.name}", "-Wl,-rpath,$ORIGIN"]}


include = include_folder()
layer = raw_layer(contract_file(include))
ffibuilder = cffi.FFI()
ffibuilder.cdef(layer.declarations() + (HERE / "src/arrow.cdef").read_text(encoding="utf-8"))
ffibuilder.set_source(
    "flexsync._raw",
    layer.source() + (HERE / "src/arrow.c").read_text(encoding="utf-8"),
    include_dirs=[str(include)],
    extra_compile_args=["-std=gnu11", "-Wno-unused-function"],
    **link_options(),
)
