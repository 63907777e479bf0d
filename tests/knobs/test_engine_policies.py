"""What RandAugment, TrivialAugmentWide and AutoAugment draw in the native engine: each sample is, bit for bit, what torchvision's
own operations make of the picture, and each comes as often as torchvision draws it."""

import collections
import io
import itertools
import os
import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image
from pictures import torchvision

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout import data  # noqa: E402

SAMPLES = 4000
# Of the statistic below, normal by the central limit theorem to what is needed here: 5 deviations, one in 1.7 million.
DEVIATIONS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One picture under many names."""
    rng = numpy.random.default_rng(5)
    pixels = rng.integers(20, 230, (5, 6, 3), dtype=numpy.uint8)
    picture = Image.fromarray(pixels).resize((24, 20), Image.Resampling.BICUBIC)
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG", quality=95)
    root = tmp_path_factory.mktemp("one") / "a"
    root.mkdir()
    (root / "first.jpg").write_bytes(encoded.getvalue())
    for number in range(SAMPLES - 1):
        os.link(root / "first.jpg", root / f"{number}.jpg")
    return root.parent


def drawn(folder, step, **parameters):
    """How often each result came, by its bytes."""
    chain = data.images(folder)._step(step, **parameters).center_crop([20, 24]).dtype("uint8", "nhwc")
    return collections.Counter(picture.tobytes() for pictures, _ in chain.batch(500) for picture in pictures)


class Operations:
    """torchvision's operations on the picture, with their probabilities."""

    def __init__(self, folder, v2, bins, wide=False):
        tv = torchvision()
        self.picture = Image.open(folder / "a/first.jpg").convert("RGB")
        self.v2, self.bins = v2, bins
        if v2:
            self.transform = tv.transforms.v2.RandAugment()
            kind = tv.transforms.v2.TrivialAugmentWide if wide else tv.transforms.v2.AutoAugment
            self.space = {name: (make(bins, 20, 24), signed) for name, (make, signed) in kind._AUGMENTATION_SPACE.items()}
        else:
            self.module = sys.modules["torchvision.transforms.autoaugment"]
            self.nearest = tv.transforms.InterpolationMode.NEAREST
            plain = tv.transforms.TrivialAugmentWide() if wide else tv.transforms.AutoAugment()
            space = plain._augmentation_space(bins) if wide else plain._augmentation_space(bins, (20, 24))
            self.space = {name: (values if values.ndim else None, signed) for name, (values, signed) in space.items()}

    def apply(self, picture, name, magnitude):
        if self.v2:
            return self.transform._apply_image_or_video_transform(picture, name, magnitude, "nearest", {type(picture): None})
        return self.module._apply_op(picture, name, magnitude, self.nearest, None)

    def of(self, picture, name, bin):
        """Pictures, each with its probability."""
        if name == "Identity":
            return [(picture, 1.0)]
        magnitudes, signed = self.space[name]
        magnitude = 0.0 if magnitudes is None else float(magnitudes[bin])
        signs = (1, -1) if signed else (1,)
        return [(self.apply(picture, name, sign * magnitude), 1 / len(signs)) for sign in signs]


NAMES = ("Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness", "Posterize",
         "Solarize", "AutoContrast", "Equalize")  # fmt: skip


def agree(counts, expected):
    """Every result is one of those that are expected, and together they come as often as they should: the statistic of Pearson's
    chi-squared test, results that are too seldom taken together."""
    assert not set(counts) - set(expected), "pixels that torchvision does not give"
    assert abs(sum(expected.values()) - 1) < 1e-9
    frequent = {result: SAMPLES * p for result, p in expected.items() if SAMPLES * p >= 5}
    cells = [(counts[result], mean) for result, mean in frequent.items()]
    seldom = sum(SAMPLES * p for result, p in expected.items() if result not in frequent)
    if seldom > 5:
        cells.append((sum(count for result, count in counts.items() if result not in frequent), seldom))
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
    freedom = len(cells) - 1
    assert freedom > 5 and statistic < freedom + DEVIATIONS * (2 * freedom) ** 0.5, (statistic, freedom)


@pytest.mark.parametrize("v2", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rand_augment(folder, v2):
    ours = Operations(folder, v2, 31)
    expected = collections.Counter()
    for first in NAMES:
        for middle, share in ours.of(ours.picture, first, 16):
            for second in NAMES:
                for result, part in ours.of(middle, second, 16):
                    expected[result.tobytes()] += share * part / len(NAMES) ** 2
    agree(drawn(folder, "rand_augment", magnitude=16, v2=v2), expected)


@pytest.mark.parametrize("v2", [False, True])
def test_trivial_augment_wide(folder, v2):
    bins = 9
    ours = Operations(folder, v2, bins, wide=True)
    expected = collections.Counter()
    for name, bin in itertools.product(NAMES, range(bins)):
        for result, share in ours.of(ours.picture, name, bin):
            expected[result.tobytes()] += share / len(NAMES) / bins
    agree(drawn(folder, "trivial_augment_wide", num_magnitude_bins=bins, v2=v2), expected)


@pytest.mark.parametrize("policy", ["imagenet", "cifar10", "svhn"])
def test_auto_augment(folder, policy):
    torchvision()
    learned = sys.modules["torchvision.transforms.autoaugment"]
    pairs = learned.AutoAugment(learned.AutoAugmentPolicy(policy)).policies
    ours = Operations(folder, False, 10)

    def maybe(picture, name, p, bin):
        return [(picture, 1 - p), *((result, p * share) for result, share in ours.of(picture, name, bin))]

    expected = collections.Counter()
    for first, second in pairs:
        for middle, share in maybe(ours.picture, *first):
            for result, part in maybe(middle, *second):
                expected[result.tobytes()] += share * part / len(pairs)
    agree(drawn(folder, "auto_augment", policy=policy), {result: p for result, p in expected.items() if p > 0})
