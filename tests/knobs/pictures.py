"""JPEG files in class folders, and loaders over them by torch and by the loading engine."""

import importlib
import sys
from pathlib import Path

import harness
import numpy
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent / "programs"))
import vision  # noqa: E402

SIZES = ((97, 64), (64, 97), (120, 81), (50, 50), (33, 140), (64, 64))


def fetched(load, name, folder):
    """What `load` gives; a skip where it is nowhere. What was fetched and cannot be imported is an error."""
    try:
        return load()
    except ImportError as error:
        if (harness.ROOT / "build" / folder).is_dir():
            raise
        pytest.skip(f"{name} is not in build/{folder} (`make test` fetches it): {error}")


def torchvision():
    return fetched(vision.load, "torchvision", "torchvision")


def timm_data():
    return fetched(vision.load_timm, "timm", "timm")


def write(folder, count=12, seed=0):
    """Two classes; colour and grey, baseline and progressive, each of SIZES."""
    rng = numpy.random.default_rng(seed)
    for number in range(count):
        width, height = SIZES[number % len(SIZES)]
        coarse = rng.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), dtype=numpy.uint8)
        picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
        if number % 5 == 4:
            picture = picture.convert("L")
        path = folder / "ab"[number % 2] / ("%02d.jpg" % number)
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, quality=90, progressive=number % 4 == 3)
    return folder


def native(knobs, torch, loader):
    """An epoch of `loader` by the engine, without the hooks around it: the batches."""
    module = importlib.import_module(knobs.__name__ + ".engine")
    iterator = importlib.import_module("_flatout_hooks.native_form.iterator")
    reason = module.LoadingEngine.refused(torch, loader, "native")
    assert reason is None, reason
    return iterator.iterator_class(torch)(loader, module._engines[loader])


def refusal(knobs, torch, loader):
    return importlib.import_module(knobs.__name__ + ".engine").LoadingEngine.refused(torch, loader, "native")
