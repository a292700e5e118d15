#!/usr/bin/env python3
"""Checks which folder's sources include which others', against the list of folders in ARCHITECTURE.md.

The list has the folders of each program lowest first, each with its sub-folders after it: a folder, at
any depth, may include itself and what comes before it, so a sub-folder its parent and the siblings
before it, and a parent none of its sub-folders. What the order cannot say is in RULES, and which files
choose among the sub-folders of theirs in EXCEPTIONS. Headers have names of their own, so that a name says
which is meant, but for those in COMMON_NAMES. Prints every breach with its file and line; exit status 1 if
there is one, or if an exception is no longer needed.
"""

import re
import sys
from pathlib import Path

from source_checks import PROGRAMS, report, sources

PAGE = "ARCHITECTURE.md"

# What folders may include these, besides those below.
HEADERS = [
    (r"hdf5(_hl)?\.h", r"runtime/hdf5", "only runtime/hdf5 includes hdf5.h"),
    (r"CLI/.*", r"runtime/cli|\w+/commands", "only runtime/cli and commands/ know CLI11"),
    (r"toml\+\+/.*", r"runtime/cli|\w+/commands", "only runtime/cli and commands/ read TOML"),
    (r"boost/.*", r"runtime/serve", "only runtime/serve knows Boost"),
    (r"(xgrammar|dlpack)/.*", r"runtime/grammar", "only runtime/grammar knows xgrammar"),
    (r"cuda.*", r"runtime/engine/cuda/nvidia", "only runtime/engine/cuda/nvidia includes CUDA"),
    (r"(torch|ATen|c10)/.*", r"train(/.*)?", "only train/ includes LibTorch"),
]
# Who must not include what, whatever the order: a pattern of the includer, of the included, and why.
RULES = [
    (r"(?!runtime/).*", r"runtime/commands/.*", "other programs use runtime/inference, not its commands"),
    (r"(?!data/).*", r"data/commands/.*", "no program includes another program's commands"),
    (r"(?!calibrate/).*", r"calibrate/.*", "calibrate/ and train/ do not know each other"),
    (r"(?!\w+/cli/|\w+/commands/|\w+/main\.cc).*", r"runtime/cli/.*", "only cli/ and commands/ enter the command line"),
    (r"(?!runtime/engine/).*", r"runtime/engine/(cpu|cuda)/.*", "only runtime/engine knows how its passes are computed"),
]
# What is against the order, and meant: the includer, a pattern of what it includes, and why.
EXCEPTIONS = [
    ("runtime/model/model.cc", r"runtime/model/(gguf|huggingface)/.*", "chooses by the kind of model file"),
    ("runtime/engine/cuda/gpu.h", r"runtime/engine/cuda/(emulated|nvidia)/\w+_names\.h", "chooses by the compiler"),
    ("runtime/engine/make_engine.cc", r"runtime/engine/(cpu|cuda|cuda/emulated)/\w+_engine\.h", "chooses the engine"),
    ("runtime/engine/cpu/instruction_set.cc", r"runtime/engine/cpu/amx/support\.h", "chooses the kernels"),
]

# Headers that several folders have: a program's list of its commands is alike in all of them.
COMMON_NAMES = {"commands.h"}


class FolderList:
    """The folders that the page lists, in its order."""

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

    def order(self, folder):
        """Where a folder comes: its own files before its sub-folders."""
        return self.folders.index(folder)


def folder_of(path):
    return path.rpartition("/")[0]


def includes(text):
    """(line, what) of each #include."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line)
        if found:
            yield number, found[1]


def breach(listed, includer, included):
    """Why the one must not include the other, or None."""
    if ".." in included.split("/"):
        return "expected a path from the root"
    if included.split("/")[0] not in PROGRAMS:
        for pattern, allowed, why in HEADERS:
            if re.fullmatch(pattern, included) and not re.fullmatch(allowed, folder_of(includer)):
                return why
        return None
    for pattern, forbidden, why in RULES:
        if re.fullmatch(pattern, includer) and re.fullmatch(forbidden, included):
            return why
    here, there = folder_of(includer), folder_of(included)
    if includer.endswith("/main.cc"):  # a program's own, and after all of it
        return None
    if listed.order(there) > listed.order(here):
        return f"{here} comes before {there}"
    return None


def same_names(files):
    """A mistake for each header whose name another has."""
    first = {}
    for file in files:
        name = Path(file).name
        if name.endswith((".h", ".cuh")) and name not in COMMON_NAMES and first.setdefault(name, file) != file:
            yield f"{file}: {first[name]} has the same name"


def check(root, exceptions):
    """Every mistake, as a line of text."""
    listed = FolderList((root / PAGE).read_text())
    mistakes = []
    names = set(listed.folders)
    files = list(sources(root))
    there = {str(parent) for file in files for parent in Path(file).parents} - {"."}
    mistakes += [f"{PAGE}: {folder}/ is not listed" for folder in sorted(there - names)]
    mistakes += [f"{PAGE}: {folder}/ is listed, and there is none" for folder in sorted(names)
                 if not (root / folder).is_dir()]
    if mistakes:
        return mistakes
    mistakes += same_names(files)
    needed = set()
    for file in files:
        for line, included in includes((root / file).read_text()):
            why = breach(listed, file, included)
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
