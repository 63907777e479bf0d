"""A small set from whose pixels a loader's output can be read back: which sample, which crop, mirrored or not.

Every picture is a class of its own, so a label names a sample. Red and blue are
flat and spell its number in two digits; green rises from left to right, so that
its slope in the output shows the width of the crop and its sign the mirroring.
"""

import pathlib

import numpy as np
from PIL import Image

PICTURES = 266  # four batches of 64 and one of 10
DIGITS = 17  # of red and of blue
DIGIT_STEP, DIGIT_LOWEST = 13, 24
GREEN_LOW, GREEN_HIGH = 40, 216
SHAPES = ((500, 375), (375, 500), (640, 480), (300, 300), (180, 130), (231, 499))
PROGRESSIVE_EVERY = 7


def colour_of(number):
    """(red, blue) of picture `number`, 0 to 255."""
    return DIGIT_LOWEST + DIGIT_STEP * (number // DIGITS), DIGIT_LOWEST + DIGIT_STEP * (number % DIGITS)


def make(folder):
    """Writes the set where it is not there yet; the folder."""
    folder = pathlib.Path(folder)
    if sum(1 for _ in folder.glob("*/*.jpg")) == PICTURES:
        return folder
    for number in range(PICTURES):
        width, height = SHAPES[number % len(SHAPES)]
        red, blue = colour_of(number)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        pixels[:, :, 0], pixels[:, :, 2] = red, blue
        pixels[:, :, 1] = np.linspace(GREEN_LOW, GREEN_HIGH, width).round()
        path = folder / f"{number:04d}" / "picture.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path, quality=95, subsampling="4:2:0", progressive=number % PROGRESSIVE_EVERY == 0)
    return folder
