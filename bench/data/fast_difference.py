"""How far decode: fast is from exact decoding on photographs, in grey levels of 255: bench/data/fast_difference.py FOLDER [SIDE...]

FOLDER holds class folders of JPEG files, such as the two photographs that the scikit-learn package has in datasets/images.
"""

import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout import data  # noqa: E402


def levels(folder, side, fast):
    loader = data.images(folder).resize((side, side))
    loader = (loader.fast() if fast else loader).batch(1)
    return numpy.concatenate([numpy.array(pictures, dtype=float).ravel() for pictures, _labels in loader]) * 255


def main():
    print("side mean p50 p99 p99.9 largest PSNR_dB")
    for side in map(int, sys.argv[2:] or ("200", "100", "50")):
        apart = abs(levels(sys.argv[1], side, True) - levels(sys.argv[1], side, False))
        psnr = 10 * numpy.log10(255**2 / max((apart**2).mean(), 1e-12))
        print("%d %.1f %.0f %.0f %.0f %.0f %.1f" % (side, apart.mean(), *numpy.percentile(apart, (50, 99, 99.9)), apart.max(), psnr))


if __name__ == "__main__":
    main()
