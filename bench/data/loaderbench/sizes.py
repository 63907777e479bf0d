"""Sizes of the pictures and of their files: ImageNet's means and its kind of spread.

The means are those of ImageNet's training set (197 000 pixels, 113 kB, so 4.6
bits a pixel). Shapes are drawn from a low-discrepancy sequence and then fitted
to the means, so that a set of 200 pictures has them as well as one of 3 000.
"""

import math
import statistics

MEAN_PIXELS = 197_000
MEAN_BYTES = 113_000

# (width, height, share) of the shapes that most photographs of ImageNet have.
COMMON = ((500, 375, 0.40), (375, 500, 0.12), (500, 333, 0.13), (333, 500, 0.06), (500, 500, 0.04))
# The others: the long side and the logarithm of the aspect ratio spread widely.
OTHER_LONG_SIDE_MEDIAN = 442
OTHER_LONG_SIDE_SIGMA = 0.45
OTHER_LONG_SIDE_RANGE = (120, 2000)
OTHER_ASPECT_SIGMA = 0.30
OTHER_ASPECT_LIMIT = 2.2

BITS_SIGMA = 0.35  # of the logarithm of bits a pixel, independent of the size
BITS_RANGE = (1.5, 9.0)

_DIMENSIONS = 4
_NORMAL = statistics.NormalDist()


def _root():
    """The positive root of x^(d+1) = x + 1, whose powers' inverses step a sequence that fills d dimensions evenly
    (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018)."""
    x = 1.5
    for _ in range(60):
        x = (1 + x) ** (1 / (_DIMENSIONS + 1))
    return x


_STEPS = tuple(_root() ** -(d + 1) for d in range(_DIMENSIONS))


def _point(seed, index):
    """Point `index` of the sequence; another seed starts it elsewhere."""
    return [(0.5 + seed * 0.754877666 + (index + 1) * step) % 1.0 for step in _STEPS]


def _log_normal(u, median, sigma):
    return median * math.exp(sigma * _NORMAL.inv_cdf(min(max(u, 1e-6), 1 - 1e-6)))


def _common_shape(choice):
    """The common shape that `choice` in [0, 1) falls on, or None for one of the others."""
    for width, height, share in COMMON:
        if choice < share:
            return width, height
        choice -= share
    return None


def _other_shape(side, aspect, scale):
    low, high = OTHER_LONG_SIDE_RANGE
    long_side = min(max(_log_normal(side, OTHER_LONG_SIDE_MEDIAN * scale, OTHER_LONG_SIDE_SIGMA), low), high)
    ratio = min(max(_log_normal(aspect, 1.15, OTHER_ASPECT_SIGMA), 1 / OTHER_ASPECT_LIMIT), OTHER_ASPECT_LIMIT)
    return (round(long_side), round(long_side / ratio)) if ratio >= 1 else (round(long_side * ratio), round(long_side))


def _shapes(points, scale):
    return [_common_shape(choice) or _other_shape(side, aspect, scale) for choice, side, aspect, _ in points]


def _fitted_shapes(points):
    """The shapes whose mean is MEAN_PIXELS: the uncommon ones grow or shrink together, by at most half."""
    low, high = 0.5, 1.5
    for _ in range(30):
        scale = (low + high) / 2
        mean = statistics.fmean(width * height for width, height in _shapes(points, scale))
        low, high = (scale, high) if mean < MEAN_PIXELS else (low, scale)
    return _shapes(points, scale)


def picture_sizes(seed, count):
    """(width, height, bytes that the file is to have) of each picture of a set."""
    points = [_point(seed, index) for index in range(count)]
    shapes = _fitted_shapes(points)
    low, high = BITS_RANGE
    median_bits = MEAN_BYTES * 8 / MEAN_PIXELS * math.exp(-(BITS_SIGMA**2) / 2)
    wanted = [
        width * height * min(max(_log_normal(bits, median_bits, BITS_SIGMA), low), high) / 8
        for (width, height), (_, _, _, bits) in zip(shapes, points)
    ]
    fit = MEAN_BYTES * count / sum(wanted) if count else 1
    return [(width, height, round(size * fit)) for (width, height), size in zip(shapes, wanted)]
