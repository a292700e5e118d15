#!/usr/bin/env python3
"""Checks that files, standard output and standard error are written by the common writers only.

OutputFile, AtomicFile, RecordFile, print_log and write_output handle full disks, closed descriptors,
links and outputs that would overwrite inputs; a stream or a descriptor opened elsewhere would not. Prints
every other use with its file and line; exit status 1 if there is one, or if an exception is no longer
needed.
"""

import re
import sys

from source_checks import report, sources

WRITERS = re.compile(r"runtime/base/(atomic_file|descriptors|file_lock|log|output|output_file|record_file)\.(h|cc)")

# What opens or writes an output, and what to use instead.
PATTERNS = [
    (r"\bo?fstream\b(?!>)", "OutputFile, AtomicFile or RecordFile of runtime/base"),
    (r"\bstd::(cout|cerr|clog)\b", "write_output or print_log of runtime/base"),
    (r"\b(printf|puts|putchar|perror|vprintf)\s*\(", "write_output or print_log of runtime/base"),
    (r"\bfmt::print(ln)?\s*\(", "write_output or print_log of runtime/base"),
    (r"\b(fprintf|vfprintf|fputs|fputc|fwrite|dprintf)\s*\(", "write_output or print_log of runtime/base"),
    (r"\bstd(out|err)\b", "write_output or print_log of runtime/base"),
    (r"\b(fopen|freopen|fdopen|mkstemp|creat)\s*\(", "OutputFile, AtomicFile or RecordFile of runtime/base"),
    (r"(?<!\w)::open\s*\([^;]*\bO_(WRONLY|RDWR|CREAT)\b", "OutputFile, AtomicFile or RecordFile of runtime/base"),
    (r"(?<!\w)::p?write\s*\(", "write_whole of runtime/base"),
    (r"\bH5Fcreate\s*\(", "hdf5::Writer, whose bytes a common writer stores"),
]
# Other files that need one: the file, a part of the line, and why.
EXCEPTIONS = [
    ("data/journal/journal.h", "std::ofstream file_",
     "entries are appended, and one cut short is discarded when read"),
    ("data/store/shard_locks.cc", "::open(", "a lock file without contents"),
    ("runtime/base/held_file.cc", "::open(", "a lock file, which names who holds it"),
    ("runtime/base/watched_memory.cc", "::write(", "a signal handler may call nothing else"),
    ("runtime/hdf5/writer.cc", "H5Fcreate", "the file is in memory"),
    ("train/trainer/metrics_file.cc", "::open(",
     "lines are appended, and those after the checkpoint are cut off"),
]


def without_comments_and_texts(source):
    """The source with comments and string literals blanked; lines stay where they are."""
    def blank(found):
        text = found[0]
        if text.startswith("/"):
            return re.sub(r"[^\n]", " ", text)
        return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, source,
                  flags=re.DOTALL)


def check(root, exceptions):
    """Every mistake, as a line of text."""
    mistakes = []
    needed = set()
    for file in sources(root):
        if WRITERS.fullmatch(file):
            continue
        source = (root / file).read_text()
        lines = source.splitlines()
        code = without_comments_and_texts(source)
        for pattern, cure in PATTERNS:
            for found in re.finditer(pattern, code):
                number = code.count("\n", 0, found.start()) + 1
                line = lines[number - 1]
                if line.lstrip().startswith("#include"):
                    continue
                excused = [e for e in exceptions if e[0] == file and e[1] in line]
                needed.update(excused)
                if not excused:
                    mistakes.append(f"{file}:{number}: {line.strip()}: use {cure}")
    mistakes += [f"exception no longer needed: {e[0]}: {e[1]}" for e in exceptions if e not in needed]
    return mistakes


if __name__ == "__main__":
    sys.exit(report(check, EXCEPTIONS, "every output is written by a common writer"))
