#!/usr/bin/env python3
"""Checks that pages, comments and messages have no word that a reader would have to look up.

Prints every such word with its file and line; exit status 1 if there is one.
"""

import re
import sys

from source_checks import report, sources

# Beginnings of words, and what to say instead.
WORDS = {
    "aforementioned": "this", "agnostic": "whatever ... is", "albeit": "though", "ameliorat": "improve",
    "ancillary": "other", "arcane": "hard to know", "bespoke": "own", "cognizant": "know", "conflat": "mix",
    "delineat": "describe", "elucidat": "explain", "ergo": "so", "eschew": "do without", "facilitat": "help",
    "heretofore": "so far", "hitherto": "so far", "henceforth": "from then on", "idiosyncra": "own",
    "inasmuch": "since", "inter alia": "among others", "leverag": "use", "myriad": "many", "nascent": "new",
    "notwithstanding": "in spite of", "obviate": "make needless", "orthogonal": "independent",
    "plethora": "many", "promulgat": "announce", "salient": "main", "spurious": "false", "superfluous": "needless",
    "tantamount": "equal", "thereof": "of it", "ubiquit": "everywhere", "utilis": "use", "utiliz": "use",
    "verbatim": "word by word", "vestig": "rest", "vis-a-vis": "beside", "whilst": "while",
    # Names that nobody could guess.
    "come_together": "are_all_or_none", "find_following": "find_pair_weights", "of_method": "method_help",
    "settings_here": "what they are of",
}
PATTERN = re.compile(r"\b(" + "|".join(WORDS) + r")[a-z]*", re.IGNORECASE)
PAGES = ("docs/**/*.md", "results/**/*.md", "*.md", "*/README.md", "runtime/**/README.md")


def pages(root):
    """Names of the pages, each once."""
    return sorted({path.relative_to(root).as_posix() for pattern in PAGES for path in root.glob(pattern)})


def check(root, exceptions):
    """Every mistake, as a line of text. An exception is a file and the word that it needs."""
    mistakes = []
    for file in [*sources(root), *pages(root)]:
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            for found in PATTERN.finditer(line):
                if (file, found[0].lower()) not in exceptions:
                    mistakes.append(f"{file}:{number}: '{found[0]}': say '{WORDS[found[1].lower()]}'")
    return mistakes


if __name__ == "__main__":
    sys.exit(report(check, [], "no word has to be looked up"))
