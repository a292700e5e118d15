#!/usr/bin/env python3
"""check_logits.py finds rows of logits that are read without a chooser, and nothing else."""

import unittest

from check_logits import check
from one_line import OneLine


class CheckLogits(OneLine):
    check = check
    name = "runtime/draft/model/a.cc"

    def test_every_way_to_read(self):
        for line in ("use(pass.row_logits(0));", "use(target_.pass.row_logits(row - 1));", "use(pass->logits_of(3));",
                     "use(pass.logits.row(0));", "use(logits_->row(number));", "use(row.of->row(row.row));",
                     "use(passes_.logits().row(0));", "use(row.numbers().first(3));", "use(passes.logits(0).numbers());",
                     "use(logits_->number(row_, one));", "use(row.of->number(row.row, 5));",
                     "const auto row =\n      pass.logits.row(0);"):
            mistakes = self.mistakes_of(line)
            self.assertEqual(len(mistakes), 1, line)
            self.assertIn("ask a sampling::Chooser", mistakes[0])
        self.assertTrue(self.mistakes_of("use(pass.row_logits(0));")[0].startswith("runtime/draft/model/a.cc:2: "))

    def test_what_reads_no_logits(self):
        for line in ("chooser_->row(row);", "ranking_.chooser().row(row);", "chooser.logit(row, token);",
                     "weight.row(r, made);", "head_.row(trace.top_ids[j]);", "config.number(key, 0, 1);",
                     "config.numbers(key, 0, 1);", "// pass.row_logits(0)", 'log("logits.row(0)");', "answer(row);",
                     "engine::LogitsRow logits(int depth);"):
            self.assertEqual(self.mistakes_of(line), [], line)

    def test_engines_and_the_chooser(self):
        for name in ("runtime/engine/pass.h", "runtime/sampling/chooser.h"):
            self.assertEqual(self.mistakes_of("use(logits.row(0));", name), [])
            (self.root / name).unlink()
        self.assertNotEqual(self.mistakes_of("use(logits.row(0));", "runtime/sampling/sampler.cc"), [])

    def test_exceptions(self):
        known = ("runtime/draft/model/a.cc", "row_logits", "why")
        self.assertEqual(self.mistakes_of("use(pass.row_logits(0));", exceptions=[known]), [])
        self.assertIn("no longer needed", self.mistakes_of("", exceptions=[known])[0])


if __name__ == "__main__":
    unittest.main()
