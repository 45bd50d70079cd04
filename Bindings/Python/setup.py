# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml cannot say: the extension module, and the library that goes with it."""
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_raw  # noqa: E402


class BuildWithLibrary(build_py):
    """Copies the library into the package, under the name by which the extension module looks for it."""

    def run(self):
        super().run()
        # An earlier build in this folder may have been for another library, or for none in the package.
        for stale in Path(self.build_lib, "flexsync").glob("libflexsync*"):
            stale.unlink()
        path = build_raw.library()
        if path:
            folder = Path(self.build_lib, "flexsync")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, folder / build_raw.soname(path))


class StableWheel(bdist_wheel):
    """A wheel for this platform and every Python from 3.10 on, whose stable interface the extension module uses."""

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "cp310", "abi3", platform


setup(
    cffi_modules=["build_raw.py:ffibuilder"],
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": StableWheel},
    # What an earlier build has left in this folder may be for another library.
    options={"build_ext": {"force": True}},
)
