"""The native engine gives torchvision's own numbers, bit for bit, wherever nothing is drawn."""

import importlib
from unittest import mock

import pytest
import torch
from pictures import native, torchvision, write
from PIL import Image
from torch.utils.data import DataLoader

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"))


def chains(T, V):
    """Of torchvision.transforms and its v2; each ends with a tensor and draws nothing that shows."""
    floats = [T.ToTensor(), T.Normalize(MEAN, STD)]
    floats2 = [V.ToImage(), V.ToDtype(torch.float32, scale=True), V.Normalize(MEAN, STD)]
    mode = T.InterpolationMode
    return {
        "evaluation": T.Compose([T.Resize(48), T.CenterCrop(40), *floats]),
        "evaluation, v2": V.Compose([V.Resize(48), V.CenterCrop(40), *floats2]),
        "to a size": T.Compose([T.Resize((30, 47)), *floats]),
        "bicubic": T.Compose([T.Resize(48, interpolation=mode.BICUBIC), T.CenterCrop(40), *floats]),
        "lanczos": T.Compose([T.Resize((40, 41), interpolation=mode.LANCZOS), *floats]),
        "box": T.Compose([T.Resize((20, 21), interpolation=mode.BOX), *floats]),
        "hamming": T.Compose([T.Resize((20, 21), interpolation=mode.HAMMING), *floats]),
        "upwards": T.Compose([T.Resize((200, 210)), *floats]),
        "a crop larger than the picture": T.Compose([T.CenterCrop(130), *floats]),
        "no normalization": T.Compose([T.Resize((30, 30)), T.ToTensor()]),
        "bytes": T.Compose([T.Resize((30, 30)), T.PILToTensor()]),
        "bytes, v2": V.Compose([V.Resize((30, 30)), V.ToImage()]),
        "bytes to floats": T.Compose([T.Resize((30, 30)), T.PILToTensor(), T.ConvertImageDtype(torch.float32)]),
        "bytes to floats, v2": V.Compose([V.Resize((30, 30)), V.PILToTensor(), V.ConvertImageDtype(torch.float32)]),
        "floats as large as bytes": V.Compose([V.Resize((30, 30)), V.ToImage(), V.ToDtype(torch.float32)]),
        "one mean for all": T.Compose([T.Resize((30, 30)), T.ToTensor(), T.Normalize([0.5], [0.25])]),
        "flips": T.Compose([T.RandomHorizontalFlip(1), T.Resize((30, 30)), T.RandomVerticalFlip(1), *floats]),
        "no flips": T.Compose([T.RandomHorizontalFlip(0), T.Resize((30, 30)), T.RandomVerticalFlip(0), *floats]),
        "flips of a tensor": T.Compose([T.Resize((30, 31)), *floats, T.RandomHorizontalFlip(1)]),
        "flips, v2": V.Compose([V.Resize((30, 30)), V.RandomHorizontalFlip(1), *floats2, V.RandomVerticalFlip(1)]),
        "grey": T.Compose([T.Resize((30, 30)), T.Grayscale(3), *floats]),
        "grey, v2": V.Compose([V.Resize((30, 30)), V.RandomGrayscale(1), *floats2]),
        "a factor that is given": T.Compose([T.Resize((30, 30)), T.ColorJitter((1.4, 1.4)), *floats]),
        "a hue that is given, v2": V.Compose([V.Resize((30, 30)), V.ColorJitter(hue=(0.2, 0.2)), *floats2]),
        "no jitter": T.Compose([T.Resize((30, 30)), T.ColorJitter(), *floats]),
        "all of the picture": T.Compose([T.Resize((30, 30)), T.RandomCrop((30, 30)), *floats]),
        "crops of a tensor": T.Compose([T.Resize((30, 30)), T.ToTensor(), T.CenterCrop(40), T.RandomCrop(40), floats[1]]),
        "two resizes": T.Compose([T.Resize((60, 50)), T.CenterCrop(45), T.Resize((30, 31)), *floats]),
        "a crop of other colours": T.Compose([T.Resize(48), T.ColorJitter(contrast=(1.4, 1.4)), T.CenterCrop(40), *floats]),
        **warps(T, V, floats, floats2),
        **points(T, V, floats, floats2),
        **choices(T, V, floats, floats2),
        "nested": T.Compose([T.Compose([T.Resize((30, 30))]), torch.nn.Sequential(torch.nn.Identity()), T.Compose(floats)]),
    }  # fmt: skip


def choices(T, V, floats, floats2):
    size, jitter, grey = T.Resize((30, 31)), T.ColorJitter((1.4, 1.4)), T.Grayscale(3)
    return {
        "applied": T.Compose([T.RandomApply([jitter, T.CenterCrop(40)], p=1), size, *floats]),
        "not applied, v2": V.Compose([size, V.RandomApply([V.ColorJitter((1.4, 1.4))], p=0), *floats2]),
        "one choice": T.Compose([size, T.RandomChoice([jitter, grey], p=[0, 1]), *floats]),
        "one choice, v2": V.Compose([V.RandomChoice([V.RandomInvert(1), V.Resize((9, 9))], p=[0.0, 1.0]), size, *floats2]),
        "any order is the same": T.Compose([size, T.RandomOrder([T.RandomHorizontalFlip(1), T.Compose([T.RandomInvert(1), T.Grayscale(3)])]), *floats]),
        "applied to a tensor": T.Compose([size, *floats, T.RandomApply([T.RandomHorizontalFlip(1)], p=1)]),
    }  # fmt: skip


def warps(T, V, floats, floats2):
    mode = T.InterpolationMode
    size, end = T.Resize((30, 31)), [T.Resize((30, 31)), *floats]
    skew = {"translate": (0, 0), "scale": (0.8, 0.8), "shear": (10, 10, -5, -5)}
    return {
        "rotated": T.Compose([T.RandomRotation((33, 33)), *end]),
        "rotated, bilinear": T.Compose([size, T.RandomRotation((-20, -20), mode.BILINEAR, fill=(9, 200, 77)), *floats]),
        "rotated, bicubic": T.Compose([T.RandomRotation((200.5, 200.5), mode.BICUBIC, fill=255), *end]),
        "rotated and expanded": T.Compose([T.RandomRotation((33, 33), mode.BILINEAR, expand=True), *end]),
        "rotated about a point": T.Compose([T.RandomRotation((70, 70), center=(3, 11), fill=50), *end]),
        "a quarter": T.Compose([size, T.RandomRotation((90, 90)), *floats]),
        "a quarter and expanded": T.Compose([T.RandomRotation((270, 270), mode.BICUBIC, expand=True), *end]),
        "a half, v2": V.Compose([V.RandomRotation((-180, -180)), size, *floats2]),
        "no turn": T.Compose([size, T.RandomRotation((0, 0)), *floats]),
        "rotated, flipped and rotated": V.Compose([V.RandomRotation((15, 15)), V.RandomHorizontalFlip(1), V.RandomRotation((15, 15)), size, *floats2]),
        "affine": T.Compose([T.RandomAffine((12, 12), **skew), *end]),
        "affine, bilinear, v2": V.Compose([V.RandomAffine((12, 12), **skew, interpolation="bilinear", fill=128), size, *floats2]),
        "affine, bicubic": T.Compose([size, T.RandomAffine((0, 0), **skew, interpolation=mode.BICUBIC, center=(0, 0)), *floats]),
        "scaled alone": T.Compose([size, T.RandomAffine(0, scale=(1.3, 1.3)), *floats]),
        "no perspective": T.Compose([size, T.RandomPerspective(0.7, p=0), *floats]),
        "scaled far": T.Compose([size, T.RandomAffine((1, 1), scale=(1e-4, 1e-4)), *floats]),
    }  # fmt: skip


def points(T, V, floats, floats2):
    size = T.Resize((30, 31))
    return {
        "inverted": T.Compose([size, T.RandomInvert(1), *floats]),
        "posterized": T.Compose([size, T.RandomPosterize(3, 1), *floats]),
        "solarized, v2": V.Compose([size, V.RandomSolarize(100.5, 1), *floats2]),
        "more contrast": T.Compose([T.RandomAutocontrast(1), size, *floats]),
        "equalized": T.Compose([size, T.RandomEqualize(1), *floats]),
        "sharper, v2": V.Compose([size, V.RandomAdjustSharpness(2.5, 1), *floats2]),
        "smoother": T.Compose([T.RandomAdjustSharpness(0.3, 1), size, T.RandomEqualize(0), *floats]),
    }  # fmt: skip


NAMES = list(chains(mock.MagicMock(), mock.MagicMock()))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_batches_bit_for_bit(knobs, folder, name):
    tv = torchvision()
    chain = chains(tv.transforms, tv.transforms.v2)[name]
    loader = DataLoader(tv.datasets.ImageFolder(folder, chain), batch_size=5)
    expected, got = list(loader), list(native(knobs, torch, loader))
    assert [type(batch) for batch in got] == [type(batch) for batch in expected] == 3 * [list]
    for (pictures, labels), (native_pictures, native_labels) in zip(expected, got):
        assert type(native_pictures) is type(pictures) and native_pictures.dtype == pictures.dtype
        assert torch.equal(native_labels, labels) and native_labels.dtype == labels.dtype
        assert torch.equal(native_pictures, pictures), (native_pictures - pictures).abs().max()


def test_other_files_than_jpeg(knobs, folder, tmp_path):
    tv = torchvision()
    for number, path in enumerate(sorted(folder.glob("*/*.jpg"))):
        mode, ending = [("RGB", "png"), ("P", "png"), ("RGBA", "webp")][number % 3]
        with Image.open(path) as picture:
            (tmp_path / path.parent.name).mkdir(exist_ok=True)
            picture.convert(mode).save(tmp_path / path.parent.name / f"{path.stem}.{ending}")
    chain = chains(tv.transforms, tv.transforms.v2)["evaluation"]
    loader = DataLoader(tv.datasets.ImageFolder(tmp_path, chain), batch_size=5)
    expected, got = list(loader), list(native(knobs, torch, loader))
    assert len(got) == len(expected) == 3
    assert all(torch.equal(ours[0], theirs[0]) for ours, theirs in zip(got, expected))


def test_what_resizes_bytes_in_a_tensor_is_within_a_grey_level(knobs, folder):
    tv = torchvision()
    V = tv.transforms.v2
    chain = V.Compose([V.ToImage(), V.Resize((40, 41), antialias=True), V.RandomHorizontalFlip(1)])
    loader = DataLoader(tv.datasets.ImageFolder(folder, chain), batch_size=12)
    ((expected, _),), ((got, _),) = loader, native(knobs, torch, loader)
    apart = (expected.int() - got.int()).abs()
    assert apart.max() <= 1 and 0 < (apart > 0).float().mean() < 0.1


@pytest.mark.parametrize("version", ["transforms", "v2"])
@pytest.mark.parametrize("kernel, sigma", [(3, 0.5), ((5, 9), 1.3), ((23, 1), 4.0)])
def test_what_blurs_is_within_a_grey_level(knobs, folder, kernel, sigma, version):
    tv = torchvision()
    T = tv.transforms
    blur = (T if version == "transforms" else T.v2).GaussianBlur(kernel, (sigma, sigma))
    loader = DataLoader(tv.datasets.ImageFolder(folder, T.Compose([T.Resize((30, 31)), blur, T.PILToTensor()])), batch_size=12)
    ((expected, _),), ((got, _),) = loader, native(knobs, torch, loader)
    apart = (expected.int() - got.int()).abs()
    assert apart.max() <= 1 and (apart > 0).float().mean() < 1e-3


def test_nothing_was_fetched_in_python(knobs, folder, monkeypatch):
    """Else the comparison above would prove nothing."""
    tv = torchvision()
    chain = chains(tv.transforms, tv.transforms.v2)["evaluation"]
    loader = DataLoader(tv.datasets.ImageFolder(folder, chain), batch_size=5)
    batches = native(knobs, torch, loader)
    monkeypatch.setattr(type(loader.dataset), "__getitem__", None)
    module = importlib.import_module("_flatout_hooks.native_form.iterator")
    monkeypatch.setattr(module.Batches, "_fetch", None)
    assert len(list(batches)) == 3
