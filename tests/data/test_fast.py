"""decode = "fast": how far pixels are from the exact decode's, on pictures with the spectrum of photographs (amplitude 1/f)."""

import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout import data  # noqa: E402


def photograph(draw, width, height):
    """Three channels of which the second and third differ from the first by colour of low frequency."""
    across, down = numpy.fft.fftfreq(width)[None, :], numpy.fft.fftfreq(height)[:, None]
    frequency = numpy.hypot(across, down)
    frequency[0, 0] = 1

    def plane(power, deviation):
        noise = numpy.fft.fft2(draw.standard_normal((height, width)))
        noise[0, 0] = 0
        values = numpy.fft.ifft2(noise / frequency**power).real
        return values / values.std() * deviation

    luma = 120 + plane(1.0, 45)
    return numpy.clip(numpy.stack([luma + plane(1.6, 12) for _ in range(3)], -1), 0, 255).astype(numpy.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("photographs") / "a"
    root.mkdir()
    draw = numpy.random.default_rng(5)
    for number in range(6):
        picture = Image.fromarray(photograph(draw, 801 - number, 603 + number))
        picture.save(root / f"{number}.jpg", quality=92, subsampling=number % 3)
    return root.parent


def pixels(folder, fast, *steps):
    described = data.images(folder)
    for name, *arguments in steps:
        described = getattr(described, name)(*arguments)
    loader = (described.fast() if fast else described).dtype("uint8").batch(6)
    return next(iter(loader))[0].astype(int)


# Pixels of the shorter side: 603 at least. Bounds are a third above what was measured, which docs/data.md has.
@pytest.mark.parametrize("side, mean, largest", [(224, 2.5, 15), (140, 3.9, 32), (75, 4.7, 26)])
def test_how_far_it_is_from_exact(folder, side, mean, largest):
    steps = [("resize", side), ("center_crop", 70)]
    difference = numpy.abs(pixels(folder, True, *steps) - pixels(folder, False, *steps))
    print(f"{side}: mean {difference.mean():.3f}, largest {difference.max()}")
    assert 0 < difference.mean() < mean
    assert difference.max() <= largest


def test_it_is_exact_where_nothing_is_made_smaller(folder):
    for steps in ([("center_crop", 200)], [("resize", 320), ("center_crop", 300)]):
        assert numpy.array_equal(pixels(folder, True, *steps), pixels(folder, False, *steps))
