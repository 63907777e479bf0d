"""When an aim is met: the one rule for all parts of docs/benchmarks.md."""


def verdict_of(lo, hi, bound):
    """An aim is met or missed only where the whole interval lies on one side of it."""
    return "met" if hi < bound else "**missed**" if lo >= bound else "not decided: the interval spans it"


def verdict_at_least(lo, hi, bound):
    return verdict_of(-hi, -lo, -bound)
