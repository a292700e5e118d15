#!/usr/bin/env python3
"""Writes runtime/tokenizer/unicode_ranges.inc: the classes of all code points as Hugging Face tokenizers sees them.

    pip install tokenizers==0.23.3 && scripts/make_unicode_ranges.py > runtime/tokenizer/unicode_ranges.inc
"""
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

kinds = {c: k for k, s in (("L", letters), ("N", numbers), ("S", spaces)) for c in s}
ranges = []
for c in sorted(kinds):
    if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == kinds[c]:
        ranges[-1][1] = c
    else:
        ranges.append([c, c, kinds[c]])

print(f"// Made by scripts/make_unicode_ranges.py with tokenizers {tokenizers.__version__}; not to be edited.")
print(f"// {len(letters)} letters, {len(numbers)} numbers, {len(spaces)} spaces.")
line = ""
for first, last, kind in ranges:
    item = f"{{0x{first:X}, 0x{last:X}, {kind}}},"
    if len(line) + 1 + len(item) > 100:
        print(line)
        line = ""
    line = f"{line} {item}" if line else item
print(line)
