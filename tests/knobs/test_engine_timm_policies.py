"""timm's auto-augmentation, random erasing and FastCollateMixup in the native engine: the pixels that timm gives, as often as timm gives them."""

import collections
import contextlib
import os
import random

import numpy
import pytest
import torch
from pictures import native, refusal, timm_data, write
from PIL import Image
from torch.utils.data import DataLoader


SAMPLES = 1500


@pytest.fixture(scope="module")
def timm():
    return timm_data()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One picture under many names."""
    pixels = numpy.random.default_rng(5).integers(20, 230, (5, 6, 3), dtype=numpy.uint8)
    root = tmp_path_factory.mktemp("one")
    for name in "ab":
        (root / name).mkdir()
    Image.fromarray(pixels).resize((24, 20), Image.Resampling.BICUBIC).save(root / "a/0.png")
    for number in range(1, SAMPLES):
        os.link(root / "a/0.png", root / "ab"[number % 2] / ("%d.png" % number))
    return root


def sampled(knobs, timm, folder, transform, count=SAMPLES):
    from torchvision.transforms import Compose

    dataset = timm.ImageDataset(str(folder), transform=Compose([transform, timm.CenterCropOrPad((20, 24)), timm.MaybePILToTensor()]))
    loader = DataLoader(dataset, batch_size=100, sampler=range(count), generator=torch.Generator().manual_seed(3))
    return numpy.concatenate([pictures.permute(0, 2, 3, 1).numpy() for pictures, _ in native(knobs, torch, loader)])


def counted(pictures):
    return collections.Counter(picture.tobytes() for picture in pictures)


def by_timm(module, operation, picture, filters=(2, 3)):
    """What one operation gives, with the probability of each: of both signs and all filters."""
    out = collections.Counter()
    for filter_ in filters:
        for sign in (0.25, 0.75):
            operation.kwargs["resample"] = filter_
            module.random.random = lambda: sign  # noqa: B023
            try:
                out[operation(picture).tobytes()] += 0.5 / len(filters)
            finally:
                module.random.random = random.random
    return out


@contextlib.contextmanager
def own_random(module):
    """The module's `random` as one that a test may set, while timm's own code runs: the engine refuses a changed one."""
    before, own = module.random, {name: staticmethod(getattr(random, name)) for name in ("random", "uniform", "gauss", "choice")}
    module.random = type("Random", (), own)
    try:
        yield
    finally:
        module.random = before


def test_every_operation_bit_for_bit(knobs, timm, folder):
    from timm.data import auto_augment as module

    picture = Image.open(folder / "a/0.png").convert("RGB")
    for name in sorted(set(module.NAME_TO_OP) - {"GaussianBlur", "GaussianBlurRand"}):
        other = {"img_mean": (1, 200, 77), "translate_const": 9}
        for magnitude, hparams in ((0, {}), (4.7, other), (10, {"translate_pct": 0.3}), (17, {"magnitude_max": 20})):
            held = {**module._HPARAMS_DEFAULT, **hparams}
            make = lambda: module.AugmentOp(name, prob=1, magnitude=magnitude, hparams=held)  # noqa: B023, E731
            try:
                with own_random(module):
                    expected = by_timm(module, make(), picture)
            except ValueError as error:  # of Pillow, from 12 on
                assert "between or equal to 1 and 8" in str(error) and name.startswith("Posterize")
                with pytest.raises(ValueError, match="equal to 1 and 8"):
                    sampled(knobs, timm, folder, module.RandAugment([make()], 1), count=2)
                continue
            seen = counted(sampled(knobs, timm, folder, module.RandAugment([make()], 1), count=40))
            assert set(seen) <= set(expected), (name, magnitude)
            assert len(seen) == len(expected), (name, magnitude, "40 draws of at most 4 results")
    refused = module.RandAugment([module.AugmentOp("GaussianBlur")], 1)
    reason = refusal(knobs, torch, DataLoader(timm.ImageDataset(str(folder), transform=refused), batch_size=2))
    assert reason == "timm's operation GaussianBlur has no native form"


def alike(some, others, kind):
    """Two samples of results: the statistic of the chi-squared test of homogeneity within five deviations, results that are seldom together."""
    frequent = [one for one, count in (some + others).items() if count >= 16]
    cells = [(some[one], others[one]) for one in frequent]
    rest = [sum(count for one, count in counts.items() if one not in frequent) for counts in (some, others)]
    cells += [tuple(rest)] if sum(rest) >= 16 else []
    n, m = sum(some.values()), sum(others.values())
    statistic = sum((a * (m / n) ** 0.5 - b * (n / m) ** 0.5) ** 2 / (a + b) for a, b in cells)
    freedom = len(cells) - 1
    assert freedom > 5 and statistic < freedom + 5 * (2 * freedom) ** 0.5, (kind, statistic, freedom)


def test_policies_draw_as_timm_does(knobs, timm, folder):
    from timm.data import auto_augment as module

    picture = Image.open(folder / "a/0.png").convert("RGB")
    random.seed(1)
    numpy.random.seed(1)
    for make, text in (
        (module.rand_augment_transform, "rand-m6-n2-inc1"),
        (module.rand_augment_transform, "rand-m6-n2-tweights"),
        (module.auto_augment_transform, "v0r"),
        (module.auto_augment_transform, "original"),
    ):
        transform = make(text, {"translate_const": 8, "img_mean": (120, 110, 100), "interpolation": 2})
        expected = collections.Counter(transform(picture).tobytes() for _ in range(2 * SAMPLES))
        alike(counted(sampled(knobs, timm, folder, transform)), expected, text)


def test_magnitudes_vary_as_timms_do(knobs, timm, folder):
    """By the mean brightness of what is made less or more bright."""
    from timm.data import auto_augment as module

    picture = Image.open(folder / "a/0.png").convert("RGB")
    random.seed(2)
    for deviation in (1.5, float("inf")):
        operation = module.AugmentOp("Brightness", prob=1, magnitude=8, hparams={**module._HPARAMS_DEFAULT, "magnitude_std": deviation})
        ours = sampled(knobs, timm, folder, module.RandAugment([operation], 1)).mean((1, 2, 3))
        theirs = numpy.array([numpy.asarray(operation(picture)).mean() for _ in range(2 * SAMPLES)])
        at = numpy.sort(numpy.concatenate([ours, theirs]))
        below = [numpy.searchsorted(numpy.sort(one), at, "right") / len(one) for one in (ours, theirs)]
        apart = abs(below[0] - below[1]).max()
        assert apart < 2.6 * (1 / len(ours) + 1 / len(theirs)) ** 0.5, "Kolmogorov's and Smirnov's statistic: one in 700 000"


def test_erasing_of_several_boxes_and_of_one_colour(knobs, timm, folder):
    dataset = timm.ImageDataset(str(folder))
    shares = {}
    for mode, count in (("rand", 1), ("rand", 3), ("const", 3)):
        dataset.transform = timm.create_transform(20, is_training=True, color_jitter=None, scale=(1, 1), ratio=(1, 1), hflip=0, re_prob=0.7,
                                                  interpolation="bilinear", re_mode=mode, re_count=count)  # fmt: skip
        plain = dataset.transform.transforms[:-1]
        clean = plain[2](plain[1](plain[0](Image.open(folder / "a/0.png").convert("RGB"))))
        loader = DataLoader(dataset, batch_size=200, sampler=range(200), generator=torch.Generator().manual_seed(1))
        for turn, batches in enumerate((loader, native(knobs, torch, loader))):
            ((pictures, _),) = batches
            erased = (pictures != clean).any(1)
            shares[turn] = erased.float().mean((1, 2))
            if mode == "rand":
                colours = [len(one[:, where].unique(dim=1).T) for one, where in zip(pictures, erased) if where.any()]
                assert max(colours) == count
            assert (mode == "const") == (pictures.permute(0, 2, 3, 1)[erased].abs().max() == 0)
        assert abs((shares[0] > 0).float().mean() - (shares[1] > 0).float().mean()) < 0.23
        assert abs(shares[0].mean() - shares[1].mean()) < 0.05, (mode, count)


PAIRED = [0, 1, 7, 8]  # two of each class


def mixing_loader(timm, folder, **arguments):
    from timm.data.mixup import FastCollateMixup

    dataset = timm.ImageDataset(str(folder), transform=timm.create_transform(20, is_training=False, use_prefetcher=True))
    return DataLoader(dataset, batch_size=4, sampler=PAIRED, collate_fn=FastCollateMixup(num_classes=5, **arguments))


def test_fast_collate_mixup(knobs, timm, tmp_path):
    from timm.data.mixup import mixup_target

    folder = write(tmp_path)
    shares = {}
    for kind, arguments in (("mixup", {"mixup_alpha": 0.8}), ("cutmix", {"mixup_alpha": 0, "cutmix_alpha": 1.0}), ("neither", {"prob": 0})):
        loader = mixing_loader(timm, folder, **arguments)
        clean = torch.stack([loader.dataset[one][0] for one in PAIRED])
        labels = torch.tensor([loader.dataset[one][1] for one in PAIRED])
        shares[kind] = set()
        for seed in range(12):
            loader.generator = torch.Generator().manual_seed(seed)
            got = list(native(knobs, torch, loader))
            ((pictures, targets),) = got
            assert type(got[0]) is tuple and pictures.dtype == torch.uint8 and targets.dtype == torch.float32
            share = float((targets[0, 0].double() - 0.02) / 0.9)
            assert torch.equal(pictures, remixed(kind, clean, pictures, share)), kind
            assert torch.allclose(targets, mixup_target(labels, 5, share, 0.1), atol=1e-6)
            shares[kind].add(round(share, 6))
    assert len(shares["mixup"]) == 12 and len(shares["cutmix"]) > 6 and shares["neither"] == {1.0}
    loader = mixing_loader(timm, folder)
    loader.collate_fn.mixup_enabled = False
    ((pictures, targets),) = native(knobs, torch, loader)
    assert torch.equal(pictures, clean) and torch.equal(targets, mixup_target(labels, 5, 1.0, 0.1))
    for arguments, said in (
        ({"mode": "elem"}, "of mode elem"),
        ({"cutmix_minmax": (0.2, 0.8)}, "cutmix_minmax"),
        ({"num_classes": None}, "None classes"),
    ):
        loader = mixing_loader(timm, folder)
        vars(loader.collate_fn).update(arguments)
        assert said in refusal(knobs, torch, loader)
    loader = DataLoader(loader.dataset, batch_size=3, collate_fn=mixing_loader(timm, folder).collate_fn)
    with pytest.raises(AssertionError, match="even"):
        list(native(knobs, torch, loader))


def remixed(kind, clean, pictures, share):
    """What timm's arithmetic makes of the share that the targets tell, to their rounding (of MixUp), or of the box that differs (of CutMix)."""
    if kind == "neither":
        return clean
    if kind == "mixup":
        blended = lambda one: torch.round(clean.float() * one + clean.flip(0).float() * (1 - one)).byte()  # noqa: E731
        near = [float(numpy.float32(share) + numpy.float32(step * 2**-25)) for step in range(-12, 13)]
        return min((blended(one) for one in near), key=lambda made: int((made != pictures).sum()))
    differs = (pictures != clean).any(0).any(0)
    out, (rows, columns) = clean.clone(), (differs.any(axis).nonzero().flatten() for axis in (1, 0))
    if len(rows):
        box = (..., slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
        assert abs(differs[box].numel() / 400 - (1 - share)) < 1e-5
        out[box] = clean.flip(0)[box]
    return out
