#!/usr/bin/env python3
"""scripts/tables finds a page that differs from its runs, and mends it; and what every page of results/ has."""

import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))  # whose other files it imports
loader = importlib.machinery.SourceFileLoader("tables", str(SCRIPTS / "tables"))
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


class Growth(unittest.TestCase):
    def test_the_tables_on_paper_are_what_the_script_prints(self):
        printed = subprocess.run([SCRIPTS / "cluster_growth"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertIn(printed, (tables.RESULTS / "cluster.md").read_text())


NUMBER = r"\d[\d,]*\.\d+"
FIGURE = re.compile(rf"{NUMBER}(?: \({NUMBER}-{NUMBER}\))?")


def missing(answer, text):
    """The figures of an answer, numbers with a decimal point, each with its interval, that a text lacks"""
    there = set(FIGURE.findall(text)) | set(re.findall(NUMBER, text))
    return [figure for figure in FIGURE.findall(answer) if figure not in there]


def answers_of(page):
    """[(row, pages of results/ that it names)] of a page's tables"""
    rows = []
    for line in page.read_text().splitlines():
        named = [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+\.md)\)", line)]
        pages = [one for one in named if one.parent == tables.RESULTS and one.name != "README.md"]
        if line.startswith("| ") and pages:
            rows.append((re.sub(r"\]\([^)]*\)", "]", line), pages))
    return rows


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

    def test_answers_of_the_index_and_the_readme_stand_on_the_pages_that_they_name(self):
        rows = answers_of(tables.RESULTS / "README.md") + answers_of(tables.RESULTS.parent / "README.md")
        self.assertGreater(len(rows), 20)
        for row, pages in rows:
            with self.subTest(row=row[:60]):
                self.assertEqual(missing(row, "".join(page.read_text() for page in pages)), [])

    def test_our_counterparts_of_the_papers_tables_stand_on_the_pages_that_they_name(self):
        rows, ours = 0, 2
        for line in (tables.RESULTS / "papers.md").read_text().splitlines():
            cells = line.strip("| ").split(" | ")
            if not line.startswith("| ") or len(cells) < 3:
                continue
            if cells[0] in ("there", "the paper's finding"):
                ours = 1 if cells[0] == "the paper's finding" else 2
                continue
            here = re.sub(r"\]\([^)]*\)", "]", " ".join(cells[ours:]))
            pages = re.findall(r"\]\((\w+\.md)\)", line)
            with self.subTest(row=cells[0]):
                self.assertEqual(missing(here, "".join((tables.RESULTS / page).read_text() for page in pages)), [])
                rows += 1
        self.assertGreater(rows, 40)

    def test_an_answer_that_no_page_has_is_found(self):
        self.assertEqual(missing("1.71 (1.65-1.77) times", "| default | 1.71 (1.65-1.77) |"), [])
        self.assertEqual(missing("1.72 (1.65-1.77) times", "| default | 1.71 (1.65-1.77) |"), ["1.72 (1.65-1.77)"])
        self.assertEqual(missing("1.71 (1.65-1.76) times", "| default | 1.71 (1.65-1.77) |"), ["1.71 (1.65-1.76)"])


if __name__ == "__main__":
    unittest.main()
