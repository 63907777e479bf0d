"""Pictures with the edges of photographs, made up: bench/data/dead_leaves.py FOLDER [COUNT [SEED]]

Discs that hide one another, radii by a power law of exponent -3 (the dead leaves model, whose spectrum and edges are those of
photographs), each of one colour with a soft gradient, a little noise over all, averaged from twice the size as a lens does.
JPEG, 800 x 600, quality 92, 4:2:0. For fast_difference.py.
"""

import sys
from pathlib import Path

import numpy
from PIL import Image

WIDTH, HEIGHT, FINER, LEAVES = 800, 600, 2, 40000
LEAST, LARGEST = 3.0, 300.0  # radii, in pixels of the finer picture


def radii(draw, count):
    """Of density r ** -3 between LEAST and LARGEST."""
    low, high = LARGEST**-2, LEAST**-2
    return draw.uniform(low, high, count) ** -0.5


def picture(draw):
    width, height = WIDTH * FINER, HEIGHT * FINER
    out = numpy.empty((height, width, 3), numpy.float32)
    out[:] = draw.uniform(0, 255, 3)
    for radius in radii(draw, LEAVES):
        x, y = draw.uniform(0, width), draw.uniform(0, height)
        left, right = max(0, int(x - radius)), min(width, int(x + radius) + 1)
        top, bottom = max(0, int(y - radius)), min(height, int(y + radius) + 1)
        if left >= right or top >= bottom:
            continue
        across, down = numpy.arange(left, right) - x, numpy.arange(top, bottom) - y
        inside = across**2 + down[:, None] ** 2 <= radius**2
        shade = (across * draw.uniform(-20, 20) + down[:, None] * draw.uniform(-20, 20)) / radius
        colour = draw.uniform(0, 255, 3) + shade[..., None]
        part = out[top:bottom, left:right]
        part[inside] = colour[inside]
    seen = out.reshape(HEIGHT, FINER, WIDTH, FINER, 3).mean((1, 3)) + draw.normal(0, 2, (HEIGHT, WIDTH, 3))
    return Image.fromarray(seen.clip(0, 255).round().astype(numpy.uint8))


def main():
    folder, count, seed = Path(sys.argv[1]) / "leaves", *map(int, [*sys.argv[2:], *("20", "0")[len(sys.argv) - 2:]])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        picture(numpy.random.default_rng((seed, number))).save(folder / ("%03d.jpg" % number), quality=92, subsampling="4:2:0")


if __name__ == "__main__":
    main()
