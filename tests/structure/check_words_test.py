#!/usr/bin/env python3
"""check_words.py finds words that need a dictionary in sources and on pages, and nothing else."""

import tempfile
import unittest
from pathlib import Path

from check_words import check


class CheckWords(unittest.TestCase):
    def mistakes_of(self, line, name, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"first\n{line}\n")
            return check(Path(folder), list(exceptions))

    def test_sources_and_pages(self):
        for name in ("runtime/base/a.cc", "train/b.cuh", "README.md", "docs/GUIDE.md", "results/papers.md",
                     "calibrate/README.md", "runtime/engine/cuda/README.md"):
            mistakes = self.mistakes_of("// Utilizes a Plethora.", name)
            self.assertEqual(mistakes, [f"{name}:2: 'Utilizes': say 'use'", f"{name}:2: 'Plethora': say 'many'"])

    def test_what_is_no_such_word(self):
        for line in ("// uses many", "energodic", "int used = 0;"):
            self.assertEqual(self.mistakes_of(line, "data/a.h"), [], line)

    def test_exceptions(self):
        self.assertEqual(self.mistakes_of("verbatim", "data/a.h", [("data/a.h", "verbatim")]), [])


if __name__ == "__main__":
    unittest.main()
