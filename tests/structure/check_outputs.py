#!/usr/bin/env python3
"""Checks that files, standard output and standard error are written by the common writers only.

OutputFile, AtomicFile, RecordFile, print_log and write_output handle full disks, closed descriptors,
links and outputs that would overwrite inputs; a stream or a descriptor opened elsewhere would not. Prints
every other use with its file and line; exit status 1 if there is one, or if an exception is no longer
needed.
"""

import re
import sys

from source_checks import report, uses

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


def check(root, exceptions):
    """Every mistake, as a line of text."""
    return uses(root, [(pattern, f"use {writer}") for pattern, writer in PATTERNS], WRITERS, exceptions)


if __name__ == "__main__":
    sys.exit(report(check, EXCEPTIONS, "every output is written by a common writer"))
