#!/usr/bin/env python3
"""Checks that rows of logits are read by an engine and by sampling::Chooser only.

What chooses, ranks and scores tokens asks a Chooser, which answers where the rows lie, with the same bits. Prints every
other reader of a row with its file and line; exit status 1 if there is one, or if an exception is no longer needed.
"""

import re
import sys

from source_checks import report, uses

READERS = re.compile(r"runtime/engine/.*|runtime/sampling/chooser\.h")
# What has rows or numbers that are no logits: the name before the call.
OTHERS = r"\b(?:chooser_?|head_?|here|matrix|rows|this|weight)"

PATTERNS = [
    r"(?:\.|->)(?:row_logits|logits_of)\s*\(",
    rf"(?<!\w)(?!{OTHERS}(?:\(\))?(?:\.|->)row\b)\w+(?:\(\))?(?:\.|->)row\s*\(",
    r"(?:\.|->)numbers\s*\(\s*\)",
    r"(?:\blogits\w*|\bof)(?:\(\))?(?:\.|->)number\s*\(",
]
# Other files that need one: the file, a part of the line, and why.
EXCEPTIONS = [
    ("calibrate/pld_plus/state_sweep.cc", "logits_of", "a bonus of each source is a logit of the target's row, as in decoding"),
    ("calibrate/studies/pair_counts_study.cc", ".numbers()", "counts of pairs, no logits"),
    ("data/generate/recompute_one_row.cc", "row_logits", "checks traces by the plain functions that choosers are held to"),
    ("data/study/draft_outcomes.cc", "row_logits", "keeps the target's rows of a text, to compare them whole with a draft's"),
    ("data/study/quality.cc", "row_logits", "compares whole rows of two engines number by number"),
    ("runtime/certify/certificate.cc", "row_logits", "compares bits of rows"),
    ("runtime/certify/row_bits.cc", "logits_of", "hashes the bits of rows"),
    ("runtime/draft/copy/pld_plus_h_drafter.cc", "logits_of", "keeps the target's last row, whose logits rank sources"),
    ("runtime/draft/ngram/recycling_drafter.cc", "logits_of",
     "keeps the largest logits of every row that a pass hands out, by one walk over each"),
    ("runtime/draft/parallelspec/medusa_heads_passes.cc", ".numbers()", "the outputs are states, no logits"),
]


def check(root, exceptions):
    """Every mistake, as a line of text."""
    return uses(root, [("|".join(PATTERNS), "ask a sampling::Chooser")], READERS, exceptions)


if __name__ == "__main__":
    sys.exit(report(check, EXCEPTIONS, "rows of logits are read by engines and choosers only"))
