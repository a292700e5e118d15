"""Shared by the checks of the sources: which files there are, and how mistakes are reported."""

import re
import sys
from pathlib import Path

PROGRAMS = ("runtime", "data", "calibrate", "train")  # lowest first


def sources(root):
    """Names of the programs' source files."""
    for program in PROGRAMS:
        for path in sorted((root / program).rglob("*")):
            if path.suffix in (".cc", ".h", ".inc", ".cu", ".cuh"):
                yield path.relative_to(root).as_posix()


def without_comments_and_texts(source):
    """The source with comments and string literals blanked; lines stay where they are."""
    def blank(found):
        text = found[0]
        if text.startswith("/"):
            return re.sub(r"[^\n]", " ", text)
        return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, source,
                  flags=re.DOTALL)


def uses(root, patterns, own, exceptions):
    """What no source may have, a line of text each, and the exceptions that are no longer needed.

    patterns: (regular expression, what to do instead); own: the names of files that may have them; exceptions: (file, a
    part of the line, why).
    """
    mistakes = []
    needed = set()
    for file in sources(root):
        if own.fullmatch(file):
            continue
        source = (root / file).read_text()
        lines = source.splitlines()
        code = without_comments_and_texts(source)
        for pattern, cure in patterns:
            for found in re.finditer(pattern, code):
                number = code.count("\n", 0, found.start()) + 1
                line = lines[number - 1]
                if line.lstrip().startswith("#include"):
                    continue
                excused = [e for e in exceptions if e[0] == file and e[1] in line]
                needed.update(excused)
                if not excused:
                    mistakes.append(f"{file}:{number}: {line.strip()}: {cure}")
    return mistakes + [f"exception no longer needed: {e[0]}: {e[1]}" for e in exceptions if e not in needed]


def report(check, exceptions, all_well):
    """Prints every mistake that `check` finds below the folder on the command line (default: the
    repository), or `all_well`; the exit status."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    mistakes = check(root, exceptions)
    for mistake in mistakes or [all_well]:
        print(mistake)
    return 1 if mistakes else 0
