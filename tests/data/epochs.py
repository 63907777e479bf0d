"""Epochs of a loader's arrays, kept to be compared."""

import numpy


def epoch(loader):
    return [tuple(array.copy() for array in (batch if isinstance(batch, tuple) else (batch,))) for batch in loader]


def same(one, other):
    return len(one) == len(other) and all(len(a) == len(b) and all(map(numpy.array_equal, a, b)) for a, b in zip(one, other))
