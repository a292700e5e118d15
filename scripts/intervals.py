"""95 % intervals over texts, for every table that compares rows side by side: the paired bootstrap of the stop study
(data/study/bootstrap.h), 2,000 draws of texts with replacement, always the same ones, and the same for every row."""

import functools
import math
import random
import statistics

DRAWS = 2000
OUTSIDE = 0.025  # share of the draws below the interval, and above it


@functools.lru_cache(maxsize=8)
def draws(sizes):
    """Texts of each set, drawn with replacement. @param sizes  a tuple of the sets' numbers of texts"""
    dice = random.Random(1)
    return [[dice.choices(range(size), k=size) for size in sizes] for _ in range(DRAWS)]


def quantile(ordered, share):
    """The value below which a share of ordered values lies, between two of them in proportion."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def interval(sizes, figure):
    """(low, high) of a figure; none without a text, or where no draw tells it.
    @param sizes   of each set its number of texts
    @param figure  (indices of each set's texts) -> a number, NaN where these texts do not tell it"""
    if not sizes or min(sizes) < 1:
        return None
    found = sorted(value for chosen in draws(tuple(sizes)) if math.isfinite(value := figure(chosen)))
    return (quantile(found, OUTSIDE), quantile(found, 1 - OUTSIDE)) if found else None


def rate(tokens, seconds, chosen):
    """Tokens of the chosen texts over their seconds; NaN without time."""
    time = sum(seconds[text] for text in chosen)
    return sum(tokens[text] for text in chosen) / time if time > 0 else math.nan


def shown(found, digits=2):
    """An interval as tables print it."""
    return f"({found[0]:.{digits}f}-{found[1]:.{digits}f})" if found else ""


def of_texts(records, key, value):
    """The sum of a value of each text's records, in the order of their keys."""
    sums = {}
    for record in records:
        sums[key(record)] = sums.get(key(record), 0) + value(record)
    return [sums[one] for one in sorted(sums)]


def median_of_rounds(rounds, key, value):
    """Each text's median over rounds of such sums."""
    return [statistics.median(of_text) for of_text in zip(*(of_texts(records, key, value) for records in rounds))]
