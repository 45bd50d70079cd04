# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import inspect
import subprocess
import sys
import unittest

import flexsync

from support import REPOSITORY, ServerTestCase

TUTORIAL = REPOSITORY / "Docs/Python.md"


def snippets(path):
    """The Python code of a page, as one program whose lines have the numbers of the page."""
    lines, is_code, result = path.read_text(encoding="utf-8").splitlines(), False, []
    for line in lines:
        if line.startswith("```"):
            is_code = line == "```python"
            line = ""
        result.append(line if is_code else "")
    return "\n".join(result)


class PageTests(ServerTestCase):
    def run_page(self, path):
        program = snippets(path).replace("http://localhost:9090", self.server.url)
        (self.folder / "page.py").write_text(program, encoding="utf-8")
        # Twice, as readers run it: the second time with what the first has left.
        for _ in range(2):
            run = subprocess.run([sys.executable, "-B", "page.py"], cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertEqual(run.returncode, 0, f"{path}: {run.stderr}")

    def test_the_tutorial_is_a_program(self):
        self.run_page(TUTORIAL)

    def test_the_readmes_are_programs(self):
        self.run_page(REPOSITORY / "Bindings/Python/README.md")
        self.run_page(REPOSITORY / "README.md")

    def test_the_table_of_errors_is_complete(self):
        page = TUTORIAL.read_text(encoding="utf-8")
        errors = [one for one in vars(flexsync).values() if isinstance(one, type) and issubclass(one, Exception)]
        for one in errors:
            self.assertIn(f"`{one.__name__}`", page)


class DocstringTests(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        missing = []
        for name in flexsync.__all__:
            one = getattr(flexsync, name)
            if not inspect.isclass(one) and not inspect.isfunction(one):
                continue
            if not inspect.getdoc(one):
                missing.append(name)
            if inspect.isclass(one) and one.__module__.startswith("flexsync"):
                missing += [f"{name}.{member}" for member in self.uncommented(one)]
        self.assertEqual(missing, [])

    @staticmethod
    def uncommented(one):
        for name, member in vars(one).items():
            if name.startswith("_") or isinstance(member, type(None)):
                continue
            function = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
            if (inspect.isfunction(function) or isinstance(function, property)) and not inspect.getdoc(function):
                # What a protocol of Python defines needs no words.
                if not any(hasattr(base, name) for base in one.__mro__[1:]):
                    yield name


if __name__ == "__main__":
    unittest.main()
