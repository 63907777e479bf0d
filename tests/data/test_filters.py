"""Each filter of Resize, bit for bit as the installed Pillow has it, over many sizes up and down."""

import random
import sys
from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader as Theirs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "knobs"))
from pictures import torchvision  # noqa: E402
from flatout.torch import DataLoader  # noqa: E402

SIDES = (1, 2, 3, 7, 31, 64, 97, 180)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Noise, and black and white alone: a wrong last bit of a weight shows there first."""
    where = tmp_path_factory.mktemp("pictures") / "a"
    where.mkdir()
    rng = numpy.random.default_rng(7)
    for number, (height, width) in enumerate(((97, 64), (33, 140), (200, 199), (5, 3), (256, 256), (1, 50))):
        noise = rng.integers(0, 256, (height, width, 3), dtype=numpy.uint8)
        if number % 2:
            noise = (noise > 127).astype(numpy.uint8) * 255
        Image.fromarray(noise).save(where / ("%d.png" % number))
    return where.parent


@pytest.mark.parametrize("name", ["box", "bilinear", "hamming", "bicubic", "lanczos"])
@pytest.mark.every_change("box", "bicubic")
def test_resize_is_pillows(folder, name):
    tv = torchvision()
    T = tv.transforms
    draw = random.Random(name)
    for _ in range(25):
        size = draw.choice(SIDES), draw.randrange(1, 230)
        data = tv.datasets.ImageFolder(folder, T.Compose([T.Resize(size, interpolation=T.InterpolationMode(name)), T.PILToTensor()]))
        ours = DataLoader(data, batch_size=6, engine="native")
        ((expected, _labels),), ((got, _),) = list(Theirs(data, batch_size=6)), list(ours)
        assert ours.stats()["fallback_samples"] == 0
        assert torch.equal(expected, got), (name, size, int((expected.int() - got.int()).abs().max()))


def test_nearest_is_refused_by_name(folder):
    tv = torchvision()
    T = tv.transforms
    data = tv.datasets.ImageFolder(folder, T.Compose([T.Resize((8, 8), interpolation=T.InterpolationMode.NEAREST), T.PILToTensor()]))
    with pytest.raises(NotImplementedError, match="interpolation nearest"):
        DataLoader(data, batch_size=6, engine="native")
