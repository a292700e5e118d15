#!/usr/bin/env python3
"""Checks which folder's sources include which others', against the drawing in CONTRIBUTING.md.

The drawing lists the folders of each program lowest first: a folder may include itself and what
comes before it. What a line of the drawing cannot say is in RULES. Prints every breach with its file
and line; exit status 1 if there is one, or if an exception is no longer needed.
"""

import re
import sys
from pathlib import Path

from source_checks import PROGRAMS, report, sources

DRAWING = "CONTRIBUTING.md"

# What folders may include these, besides those below.
HEADERS = [
    (r"hdf5(_hl)?\.h", r"runtime/hdf5", "only runtime/hdf5 includes hdf5.h"),
    (r"CLI/.*", r"runtime/cli|\w+/commands", "only runtime/cli and commands/ know CLI11"),
    (r"toml\+\+/.*", r"runtime/cli|\w+/commands", "only runtime/cli and commands/ read TOML"),
    (r"(torch|ATen|c10)/.*", r"train(/.*)?", "only train/ includes LibTorch"),
]
# Who must not include what, whatever the order: a pattern of the includer, of the included, and why.
RULES = [
    (r"(?!runtime/).*", r"runtime/commands/.*", "other programs use runtime/inference, not its commands"),
    (r"(?!data/).*", r"data/commands/.*", "no program includes another program's commands"),
    (r"(?!calibrate/).*", r"calibrate/.*", "calibrate/ and train/ do not know each other"),
    (r"(?!runtime/cli/|\w+/commands/|\w+/main\.cc).*", r"runtime/cli/.*", "only commands/ enter the command line"),
    (r"(?!runtime/engine/).*", r"runtime/engine/cpu/.*", "only runtime/engine knows how its passes are computed"),
]
# Breaches that are known: the includer, a pattern of what it includes, and why.
EXCEPTIONS = [
]


class Drawing:
    """The folders as CONTRIBUTING.md draws them, in its order."""

    def __init__(self, text):
        self.folders = []
        parents = []
        for line in text.partition("## Folders")[2].partition("\n## ")[0].splitlines():
            found = re.fullmatch(r"    ((?:  )*)((?:[\w.]+/ ?)+)(?: +\S.*)?", line)
            if not found:
                continue
            depth = len(found[1]) // 2
            names = [name.rstrip("/") for name in found[2].split()]
            del parents[depth:]
            self.folders += ["/".join([*parents, name]) for name in names]
            parents.append(names[-1])

    def order(self, room):
        """Where a room comes; a program's own files come before its rooms, but main.cc after them."""
        return self.folders.index(room)


def room_of(path):
    """The program's folder that a file is in: "runtime/engine" of runtime/engine/cpu/kernels.cc."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def includes(text):
    """(line, what, whether it is in quotes) of each #include."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if found:
            yield number, found[2], found[1] == '"'


def breach(drawing, includer, included, quoted):
    """Why the one must not include the other, or None."""
    if not quoted or included.split("/")[0] not in PROGRAMS:
        for pattern, allowed, why in HEADERS:
            if re.fullmatch(pattern, included) and not re.fullmatch(allowed, room_of(includer)):
                return why
        return None
    for pattern, forbidden, why in RULES:
        if re.fullmatch(pattern, includer) and re.fullmatch(forbidden, included):
            return why
    here, there = room_of(includer), room_of(included)
    if includer.endswith("/main.cc"):
        return None
    if drawing.order(there) > drawing.order(here):
        return f"{here} comes before {there}"
    return None


def check(root, exceptions):
    """Every mistake, as a line of text."""
    drawing = Drawing((root / DRAWING).read_text())
    mistakes = []
    drawn = set(drawing.folders)
    files = list(sources(root))
    there = {str(parent) for file in files for parent in Path(file).parents} - {"."}
    mistakes += [f"{DRAWING}: {folder}/ is not drawn" for folder in sorted(there - drawn)]
    mistakes += [f"{DRAWING}: {folder}/ is drawn, and there is none" for folder in sorted(drawn)
                 if not (root / folder).is_dir()]
    if mistakes:
        return mistakes
    needed = set()
    for file in files:
        for line, included, quoted in includes((root / file).read_text()):
            why = breach(drawing, file, included, quoted)
            if not why:
                continue
            excused = [e for e in exceptions if e[0] == file and re.fullmatch(e[1], included)]
            needed.update(excused)
            if not excused:
                mistakes.append(f"{file}:{line}: includes {included}: {why}")
    mistakes += [f"exception no longer needed: {e[0]} includes {e[1]}"
                 for e in exceptions if e not in needed]
    return mistakes


if __name__ == "__main__":
    sys.exit(report(check, EXCEPTIONS, "every include keeps to the order of folders"))
