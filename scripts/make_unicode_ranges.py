#!/usr/bin/env python3
"""Writes runtime/tokenizer/unicode_ranges.inc and letter_case_ranges.inc: the classes and the cases of all code points as
Hugging Face tokenizers sees them.

    pip install tokenizers==0.23.3 && scripts/make_unicode_ranges.py
"""
import pathlib

import tokenizers
from tokenizers import Regex
from tokenizers.pre_tokenizers import Digits, Split

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
EVERYTHING = "".join(map(chr, CODE_POINTS))


def members(pattern):
    """The code points that a one-character pattern matches."""
    left = set()
    for piece, _ in Split(Regex(pattern), "removed").pre_tokenize_str(EVERYTHING):
        left.update(map(ord, piece))
    return set(CODE_POINTS) - left


def numeric():
    """The code points that Digits isolates."""
    digits = Digits(individual_digits=True)
    alone = [ord(piece) for piece, _ in digits.pre_tokenize_str(EVERYTHING) if len(piece) == 1]
    return {c for c in alone if len(digits.pre_tokenize_str("a" + chr(c))) == 2}


letters, numbers, spaces = members(r"\p{L}"), numeric(), members(r"\s")
assert not letters & numbers and not letters & spaces and not numbers & spaces
# The pattern's \p{N} may match fewer numbers, never more: Digits has isolated all of them before.
assert members(r"\p{N}") <= numbers

upper, lower = members(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"), members(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]")
assert letters <= upper | lower


def write(name, classes, counts):
    """One range a run of code points of the same class. @param classes  (constant, code points) in turn"""
    kinds = {c: k for k, s in classes for c in s}
    ranges = []
    for c in sorted(kinds):
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == kinds[c]:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, kinds[c]])
    lines = [f"// Made by scripts/make_unicode_ranges.py with tokenizers {tokenizers.__version__}; not to be edited.", f"// {counts}."]
    line = ""
    for first, last, kind in ranges:
        item = f"{{0x{first:X}, 0x{last:X}, {kind}}},"
        if len(line) + 1 + len(item) > 100:
            lines.append(line)
            line = ""
        line = f"{line} {item}" if line else item
    folder = pathlib.Path(__file__).parent.parent / "runtime" / "tokenizer"
    (folder / name).write_text("\n".join([*lines, line]) + "\n")


write("unicode_ranges.inc", (("kL", letters), ("kN", numbers), ("kS", spaces)),
      f"{len(letters)} letters, {len(numbers)} numbers, {len(spaces)} spaces")
write("letter_case_ranges.inc", (("kU", upper - lower), ("kW", lower - upper), ("kE", upper & lower)),
      f"{len(upper - lower)} upper, {len(lower - upper)} lower, {len(upper & lower)} of either case")
