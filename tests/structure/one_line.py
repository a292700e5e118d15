"""Shared by the tests of checks that judge sources line by line."""

import tempfile
import unittest
from pathlib import Path


class OneLine(unittest.TestCase):
    """What a check finds in a tree whose only source has one line of interest, its second."""

    check = None  # of the module under test
    name = ""     # of the source

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def mistakes_of(self, line, name=None, exceptions=()):
        path = self.root / (name or self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"void f() {{\n  {line}\n}}\n")
        return type(self).check(self.root, list(exceptions))
