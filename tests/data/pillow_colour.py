"""Writes what Pillow makes of the colours of made-up pictures, for src/data/transform/change/colour_test.cc.

    pillow_colour.py            print the cases
    pillow_colour.py --check    exit 1 where the stored cases are not what the installed Pillow gives

A line is `MODE WIDTH HEIGHT PATTERN SEED change ... = CRC32`, pictures as in pillow_resample.py. Changes are
`brightness F`, `contrast F`, `saturation F`, `hue F`, `sharpness F` and `grey`, as torchvision's adjust_* and rgb_to_grayscale do
them on PIL pictures; `posterize N`, `solarize N`, `autocontrast`, `equalize` and `invert`, as ImageOps does them; and
`nearest|bilinear|bicubic A B C D E F`: Image.transform with that affine matrix, filled with (7, 99, 200); `...-perspective A ... H`:
with those eight numbers of a perspective.
"""

import argparse
import random
import sys
import zlib
from pathlib import Path

import numpy
from PIL import Image, ImageEnhance, ImageOps

from pillow_resample import CHANNELS, pixels

STORED = Path(__file__).with_name("pillow_colour.txt")
ENHANCERS = {
    "brightness": ImageEnhance.Brightness,
    "contrast": ImageEnhance.Contrast,
    "saturation": ImageEnhance.Color,
    "sharpness": ImageEnhance.Sharpness,
}
FILTERS = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}
FILL = {"RGB": (7, 99, 200), "L": 7}


def turn_hue(image, factor):
    if image.mode == "L":
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = numpy.array(hue, dtype=numpy.uint8) + numpy.int32(factor * 255).astype(numpy.uint8)
    return Image.merge("HSV", (Image.fromarray(turned), saturation, value)).convert("RGB")


def result(case):
    words = case.split()
    mode, width, height = words[0], int(words[1]), int(words[2])
    data = pixels(width * height * CHANNELS[mode], words[3], int(words[4]))
    image = Image.frombytes(mode, (width, height), data.tobytes())
    rest = iter(words[5:])
    for change in rest:
        if change == "grey":
            luma = image.convert("L")
            image = Image.merge("RGB", (luma, luma, luma)) if mode == "RGB" else luma
        elif change == "hue":
            image = turn_hue(image, float(next(rest)))
        elif change in ("posterize", "solarize"):
            image = getattr(ImageOps, change)(image, int(next(rest)))
        elif change in ("autocontrast", "equalize", "invert"):
            image = getattr(ImageOps, change)(image)
        elif change.endswith("-perspective"):
            numbers = [float(next(rest)) for _ in range(8)]
            image = image.transform(image.size, Image.PERSPECTIVE, numbers, FILTERS[change.partition("-")[0]], fillcolor=FILL[mode])
        elif change in FILTERS:
            matrix = [float(next(rest)) for _ in range(6)]
            image = image.transform(image.size, Image.AFFINE, matrix, FILTERS[change], fillcolor=FILL[mode])
        else:
            image = ENHANCERS[change](image).enhance(float(next(rest)))
    return f"{case} = {zlib.crc32(image.tobytes()):08x}"


def cases():
    draw = random.Random(21)
    for _ in range(120):
        steps = [draw.choice(["RGB", "RGB", "RGB", "L"]), str(draw.randint(1, 70)), str(draw.randint(1, 70)),
                 draw.choice(["noise", "noise", "extreme"]), str(draw.randint(0, 9999))]
        for _ in range(draw.randint(1, 4)):
            change = draw.choice(["brightness", "contrast", "saturation", "hue", "grey"])
            steps.append(change)
            if change == "hue":
                steps.append(f"{draw.uniform(-0.5, 0.5):.4f}")
            elif change != "grey":
                steps.append(f"{draw.choice([0.0, 1.0, draw.uniform(0, 2), draw.uniform(0, 2), draw.uniform(0, 8)]):.4f}")
        yield " ".join(steps)
    for factor in ("0.0", "0.1", "-0.1", "0.5", "-0.5", "0.3333"):
        yield f"RGB 256 256 noise 7 hue {factor}"
    yield "RGB 256 256 noise 8 saturation 1.37"
    for number in range(60):
        width, height = draw.randint(1, 60), draw.randint(1, 60)
        start = f"{draw.choice(['RGB', 'RGB', 'L'])} {width} {height} {draw.choice(['noise', 'extreme'])} {number}"
        before = draw.choice(["", f"contrast {draw.uniform(0, 0.6):.3f} "])
        yield f"{start} {before}" + draw.choice([
            f"posterize {draw.randint(1, 8)}", f"solarize {draw.randint(0, 256)}", "autocontrast", "equalize", "invert",
            f"sharpness {draw.uniform(0, 4):.3f}"])  # fmt: skip
    yield "RGB 200 190 noise 3 equalize"
    yield "RGB 200 190 noise 3 contrast 0.01 equalize autocontrast"
    for number in range(90):
        width, height = draw.randint(1, 60), draw.randint(1, 60)
        turn = [draw.uniform(-1.5, 1.5) for _ in range(4)] if number % 3 else [draw.choice([1, -1, 0.5, 2.7]), 0, 0, draw.uniform(-2, 2)]
        places = f"{turn[0]:.4f} {turn[1]:.4f} {draw.uniform(-20, 60):.4f} {turn[2]:.4f} {turn[3]:.4f} {draw.uniform(-20, 60):.4f}"
        yield f"{draw.choice(['RGB', 'RGB', 'L'])} {width} {height} noise {number} {draw.choice([*FILTERS])} {places}"
    for name in FILTERS:  # a place that 16 bits do not hold, and one beyond all
        yield f"RGB 9 8 noise 1 {name} 1 0.001 40000 0.001 1 0"
        yield f"RGB 9 8 noise 1 {name} 5000 1 -4000 1 5000 -3000"
    for number in range(30):
        width, height = draw.randint(1, 60), draw.randint(1, 60)
        turn = [draw.uniform(0.3, 1.7), draw.uniform(-0.5, 0.5), draw.uniform(-20, 20)]
        tilt = [draw.uniform(-1.2, 1.2) / width, draw.choice([0, draw.uniform(-1.2, 1.2) / height])]
        text = " ".join(f"{one:.6g}" for one in [*turn, turn[1], turn[0], draw.uniform(-20, 20), *tilt])
        yield f"{draw.choice(['RGB', 'RGB', 'L'])} {width} {height} noise {number} {draw.choice([*FILTERS])}-perspective {text}"
    for name in FILTERS:  # a horizon within the picture, and no tilt at all
        yield f"RGB 20 30 noise 1 {name}-perspective 1 0 0 0 1 0 -0.1 0"
        yield f"RGB 20 30 noise 1 {name}-perspective 0.5 0 1 0 0.5 2 0 0"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    text = "".join(result(case) + "\n" for case in cases())
    if not parser.parse_args().check:
        sys.stdout.write(text)
        return 0
    if text == STORED.read_text(encoding="utf-8"):
        print(f"{len(text.splitlines())} cases are what Pillow {Image.__version__} gives")
        return 0
    print(f"{STORED} is not what Pillow {Image.__version__} gives: run this again without --check", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
