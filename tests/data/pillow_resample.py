"""Writes what Pillow makes of made-up pictures, for src/data/transform/resample/pillow_test.cc.

    pillow_resample.py            print the cases
    pillow_resample.py --check    exit 1 where the stored cases are not what the installed Pillow gives

A line is a picture, steps, and the result: `MODE WIDTH HEIGHT PATTERN SEED step ... = WIDTH HEIGHT CRC32`, where
the checksum is over the interleaved bytes. Steps are `crop LEFT TOP WIDTH HEIGHT` (black beyond the picture, as
Image.crop has it), `resize WIDTH HEIGHT FILTER`, `fliph` and `flipv`.
"""

import argparse
import random
import sys
import zlib
from pathlib import Path

import numpy
from PIL import Image

STORED = Path(__file__).with_name("pillow_resample.txt")
FILTERS = {
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "hamming": Image.Resampling.HAMMING,
    "lanczos": Image.Resampling.LANCZOS,
}
CHANNELS = {"RGB": 3, "L": 1}


def pixels(count, pattern, seed):
    """`count` bytes that C++ makes just so: a hash of the index."""
    i = numpy.arange(count, dtype=numpy.uint32)
    with numpy.errstate(over="ignore"):
        h = i * numpy.uint32(2654435761) + numpy.uint32(seed * 40503)
        h ^= h >> numpy.uint32(15)
        h *= numpy.uint32(2246822519)
        h ^= h >> numpy.uint32(13)
    noise = (h >> numpy.uint32(24)).astype(numpy.uint8)
    # Only black and white: there a cubic overshoots the most.
    return noise if pattern == "noise" else numpy.where(noise < 128, 0, 255).astype(numpy.uint8)


def result(case):
    words = case.split()
    mode, pattern = words[0], words[3]
    width, height, seed = int(words[1]), int(words[2]), int(words[4])
    data = pixels(width * height * CHANNELS[mode], pattern, seed)
    image = Image.frombytes(mode, (width, height), data.tobytes())
    rest = iter(words[5:])
    for step in rest:
        if step == "crop":
            left, top, w, h = (int(next(rest)) for _ in range(4))
            image = image.crop((left, top, left + w, top + h))
        elif step == "resize":
            size = int(next(rest)), int(next(rest))
            image = image.resize(size, FILTERS[next(rest)])
        else:
            turn = {"fliph": Image.Transpose.FLIP_LEFT_RIGHT, "flipv": Image.Transpose.FLIP_TOP_BOTTOM}
            image = image.transpose(turn[step])
    return f"{case} = {image.width} {image.height} {zlib.crc32(image.tobytes()):08x}"


def cases():
    """Sizes and steps of all kinds, the same at every call."""
    draw = random.Random(20)

    def side(most):
        return draw.choice([1, 2, 3, draw.randint(1, most), draw.randint(1, most), draw.randint(1, most)])

    def picture(width, height):
        return f"{draw.choice(['RGB', 'RGB', 'L'])} {width} {height} {draw.choice(['noise', 'extreme'])} {draw.randint(0, 9999)}"

    def resize(width, height):
        return f"resize {width} {height} {draw.choice(list(FILTERS))}"

    for _ in range(150):  # plain resizes, up and down
        yield f"{picture(side(90), side(90))} {resize(side(90), side(90))}"
    for _ in range(150):  # a crop or padding before and after, flips anywhere
        width, height = side(60), side(60)
        steps = [picture(width, height)]
        for place in range(2):
            if draw.random() < 0.7:
                reach = max(width, height) // 2 if draw.random() < 0.5 else 0
                w, h = draw.randint(1, width + reach), draw.randint(1, height + reach)
                steps.append(f"crop {draw.randint(-reach, max(0, width - w))} {draw.randint(-reach, max(0, height - h))} {w} {h}")
                width, height = w, h
            if draw.random() < 0.4:
                steps.append(draw.choice(["fliph", "flipv"]))
            if place == 0 and draw.random() < 0.8:
                width, height = side(60), side(60)
                steps.append(resize(width, height))
        yield " ".join(steps)
    for name in FILTERS:
        yield f"RGB 500 400 noise 1 crop 31 17 367 294 resize 224 224 {name}"  # what a training does
        yield f"RGB 400 300 noise 2 resize 341 256 {name} crop 58 16 224 224"  # what a validation does
        yield f"RGB 1 5000 noise 3 resize 7 7 {name}"
        yield f"RGB 9000 2 noise 4 resize 5 3 {name} fliph"
        yield f"L 3 2 extreme 5 resize 400 300 {name}"


def sums_columns_first(case):
    """Whether Pillow 13 resizes it vertically first, which older ones never do: the last bit differs."""
    words = case.split()
    width, height = int(words[1]), int(words[2])
    for i, word in enumerate(words):
        if word == "crop":
            width, height = int(words[i + 3]), int(words[i + 4])
        if word == "resize":
            narrower, lower = width - int(words[i + 1]), height - int(words[i + 2])
            return lower > 0 and lower > 2 * narrower
    return False


def check():
    stored = STORED.read_text(encoding="utf-8").splitlines()
    major = int(Image.__version__.split(".")[0])
    wanted = list(cases())
    if len(stored) != len(wanted):
        return f"{STORED} holds {len(stored)} cases, not {len(wanted)}"
    compared = [(case, line) for case, line in zip(wanted, stored) if major >= 13 or not sums_columns_first(case)]
    for case, line in compared:
        if result(case) != line:
            return f"{STORED} says `{line}`, Pillow {Image.__version__} gives `{result(case)}`"
    print(f"{len(compared)} of {len(stored)} cases are what Pillow {Image.__version__} gives")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        sys.stdout.write("".join(result(case) + "\n" for case in cases()))
        return 0
    problem = check()
    if problem:
        print(f"{problem}; run this without --check to make them anew", file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
