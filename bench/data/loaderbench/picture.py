"""A picture whose JPEG costs what a photograph's costs: detail at every scale, shading, edges.

The power of natural images falls with the square of the frequency (Field,
JOSA A 4, 1987), which is the same standard deviation in every octave. So the
detail is a sum of noise fields, each twice as coarse as the one before and of
equal strength. Over it lie a shading and objects with sharp edges; colour
varies slowly, as it does outdoors.
"""

import io

import numpy as np
from PIL import Image, ImageDraw

OCTAVES = 7  # cells of 1, 2, 4 ... 64 pixels
QUALITY_RANGE = (30, 98)
BICUBIC = Image.Resampling.BICUBIC


def _field(rng, width, height, cell):
    """Noise with cells of `cell` pixels, mean 0, deviation about 1."""
    cells = rng.standard_normal((height // cell + 2, width // cell + 2), dtype=np.float32)
    if cell == 1:
        return cells[:height, :width]
    return np.asarray(Image.fromarray(cells).resize((width, height), BICUBIC))


def _detail(rng, width, height, finest):
    """`finest` is the strength of the one-pixel noise against an octave's: sharpness, and grain of the sensor."""
    total = _field(rng, width, height, 1) * np.float32(finest)
    for octave in range(1, OCTAVES):
        total += _field(rng, width, height, 1 << octave)
    return total


def _shading(rng, width, height, hue):
    grid = rng.uniform(50, 205, (3, 3, 1)) + rng.normal(0, 14, (3, 3, 3)) + hue
    return Image.fromarray(grid.clip(0, 255).astype(np.uint8)).resize((width, height), BICUBIC)


def _draw_objects(image, rng, hue):
    canvas = ImageDraw.Draw(image)
    width, height = image.size
    for _ in range(int(rng.integers(4, 12))):
        colour = tuple(int(c) for c in (rng.uniform(20, 235) + hue + rng.normal(0, 25, 3)).clip(0, 255))
        cx, cy, radius = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.04, 0.3) * min(width, height)
        if rng.random() < 0.4:
            canvas.ellipse((cx - radius, cy - radius * 0.6, cx + radius, cy + radius * 0.6), fill=colour)
            continue
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 9))))
        reach = radius * rng.uniform(0.6, 1.3, len(angles))
        canvas.polygon([(cx + r * np.cos(a), cy + r * np.sin(a)) for a, r in zip(angles, reach)], fill=colour)


def draw(rng, width, height, hue):
    """A picture of that size. hue: three offsets in grey levels, which give a class its colour."""
    image = _shading(rng, width, height, hue)
    _draw_objects(image, rng, hue)
    strength = np.float32(np.clip(rng.lognormal(np.log(17), 0.35), 6, 40))  # of an octave, grey levels
    light = _detail(rng, width, height, rng.uniform(0.4, 1.0)) * strength
    tint = np.asarray(_field(rng, width, height, 32)) * np.float32(0.5) * strength
    pixels = np.asarray(image, dtype=np.float32) + np.stack((light + tint, light, light - tint), axis=2)
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def _encoded(image, quality):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, subsampling="4:2:0")
    return out.getvalue()


def encode_near(image, wanted_bytes):
    """(JPEG bytes, quality) at the quality whose file is nearest to `wanted_bytes`."""
    low, high = QUALITY_RANGE
    tried = {}
    while low <= high:
        quality = (low + high) // 2
        tried[quality] = _encoded(image, quality)
        if len(tried[quality]) < wanted_bytes:
            low = quality + 1
        else:
            high = quality - 1
    quality = min(tried, key=lambda q: abs(len(tried[q]) - wanted_bytes))
    return tried[quality], quality
