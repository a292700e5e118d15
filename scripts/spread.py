"""How scripts print numbers of several rounds."""

import statistics


def spread(values, digits=2, times=1.0):
    """The median, and of several values the least and the greatest. @param times  of the values' unit"""
    middle, least, most = (f"{times * of(values):,.{digits}f}" for of in (statistics.median, min, max))
    return middle if len(values) == 1 else f"{middle} ({least}-{most})"
