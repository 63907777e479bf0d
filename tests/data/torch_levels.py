"""Writes what torch makes of the 256 values of a pixel, for src/data/transform/sample/levels_test.cc.

    torch_levels.py            print the cases
    torch_levels.py --check    exit 1 where the stored cases are not what the installed torch gives

A line is `MEAN STD SCALING TYPE CRC32`: mean and standard deviation as float32 bits in hexadecimal, and the checksum
of the values 0 to 255 after torchvision's ToTensor (`divide`) or v2.ToDtype (`multiply`; `none` without scale=True), Normalize
(sub, div) and a conversion to the type, little-endian.
"""

import argparse
import struct
import sys
import zlib
from pathlib import Path

import torch

STORED = Path(__file__).with_name("torch_levels.txt")
# ImageNet's, CIFAR's, CLIP's, none, a half, large and small ones that leave the range of float16.
PAIRS = [
    (0.485, 0.229), (0.456, 0.224), (0.406, 0.225), (0.4914, 0.2023), (0.4822, 0.1994), (0.4465, 0.2010),
    (0.48145466, 0.26862954), (0.4578275, 0.26130258), (0.40821073, 0.27577711), (0.0, 1.0), (0.5, 0.5),
    (0.1307, 0.3081), (0.0, 1 / 255), (0.3, 1e-6), (0.25, 3e4), (-0.7, -0.3), (0.0, 7e7),
]
TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
SCALINGS = {
    "divide": lambda values: values.div(255),
    "multiply": lambda values: values.mul_(1.0 / 255),
    "none": lambda values: values,
}


def bits(value):
    return struct.pack(">f", value).hex()


def cases():
    values = torch.arange(256, dtype=torch.uint8)
    for mean, std in PAIRS:
        for scaling, scale in SCALINGS.items():
            unit = scale(values.to(torch.float32))
            number = unit.sub(torch.as_tensor(mean, dtype=torch.float32)).div(torch.as_tensor(std, dtype=torch.float32))
            for name, dtype in TYPES.items():
                typed = number.to(dtype)
                raw = typed.view(torch.uint16 if typed.element_size() == 2 else torch.uint8).numpy().tobytes()
                yield f"{bits(mean)} {bits(std)} {scaling} {name} {zlib.crc32(raw):08x}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    text = "".join(case + "\n" for case in cases())
    if not parser.parse_args().check:
        sys.stdout.write(text)
        return 0
    if text == STORED.read_text(encoding="utf-8"):
        print(f"{len(text.splitlines())} cases are what torch {torch.__version__} gives")
        return 0
    print(f"{STORED} is not what torch {torch.__version__} gives: run this again without --check", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
