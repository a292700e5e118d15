#!/usr/bin/env python3
"""scripts/tables finds a page that differs from its runs, and mends it; and what every page of results/ has."""

import importlib.machinery
import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))  # whose other files it imports
SCRIPT = str(Path(__file__).resolve().parents[2] / "scripts/tables")
loader = importlib.machinery.SourceFileLoader("tables", SCRIPT)
tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("tables", loader))
loader.exec_module(tables)

RUN = {"workers": 2, "rounds": [{"seconds_of_one": 4, "seconds_of_all": 2, "times": 2, "exchange_share": 0.01},
                                {"seconds_of_one": 5, "seconds_of_all": 4, "times": 1.25, "exchange_share": 0.03}]}


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.page = Path(self.folder.name) / "page.md"
        (self.page.parent / "run.json").write_text(json.dumps(RUN))
        self.page.write_text("Before\n\n<!-- table workers run.json -->\n| old |\n| --- |\n| 9 |\n\nAfter\n")

    def tearDown(self):
        self.folder.cleanup()

    def test_a_table_is_what_its_run_has(self):
        lines = tables.written(self.page)
        self.assertIn("| times (aim 1.7) | 1.62 (1.25-2.00) |  |", lines)
        self.assertEqual(lines[:3], ["Before", "", "<!-- table workers run.json -->"])
        self.assertEqual(lines[-2:], ["", "After"])
        self.assertNotIn("| 9 |", lines)

    def test_a_changed_figure_is_found(self):
        self.page.write_text("\n".join(tables.written(self.page)) + "\n")
        self.assertEqual(tables.written(self.page), self.page.read_text().splitlines())
        self.page.write_text(self.page.read_text().replace("1.25-2.00", "1.25-2.10"))
        self.assertNotEqual(tables.written(self.page), self.page.read_text().splitlines())

    def test_unknown_tables_and_runs_are_refused(self):
        self.page.write_text("<!-- table workes run.json -->\n")
        self.assertRaisesRegex(ValueError, "expected one of .*workers.* found table workes", tables.written, self.page)
        self.page.write_text("<!-- table workers other.json -->\n")
        self.assertRaises(OSError, tables.written, self.page)


class Pages(unittest.TestCase):
    """Those of results/ themselves: people read them, so each is short, in the index, and says what makes its figures."""

    def test_each_is_short_indexed_and_has_a_command(self):
        index = (tables.RESULTS / "README.md").read_text()
        pages = sorted(set(tables.RESULTS.glob("*.md")) - {tables.RESULTS / "README.md"})
        self.assertGreater(len(pages), 10)
        for page in pages:
            with self.subTest(page=page.name):
                text = page.read_text()
                self.assertLessEqual(len(text.splitlines()), 150)
                self.assertIn(f"]({page.name})", index)
                self.assertRegex(text, r"(?m)^ {4}\S|`scripts/\w")


if __name__ == "__main__":
    unittest.main()
