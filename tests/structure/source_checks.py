"""Shared by the checks of the sources: which files there are, and how mistakes are reported."""

import sys
from pathlib import Path

PROGRAMS = ("runtime", "data", "calibrate", "train")  # lowest first


def sources(root):
    """Names of the programs' source files."""
    for program in PROGRAMS:
        for path in sorted((root / program).rglob("*")):
            if path.suffix in (".cc", ".h", ".inc", ".cu", ".cuh"):
                yield path.relative_to(root).as_posix()


def report(check, exceptions, all_well):
    """Prints every mistake that `check` finds below the folder on the command line (default: the
    repository), or `all_well`; the exit status."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    mistakes = check(root, exceptions)
    for mistake in mistakes or [all_well]:
        print(mistake)
    return 1 if mistakes else 0
