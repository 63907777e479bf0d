"""flatout.torch.DataLoader(cache=...): the same batches, and what was kept is used."""

import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "knobs"))
from pictures import torchvision, write  # noqa: E402
from flatout.torch import DataLoader  # noqa: E402

SAMPLES = 18


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    tv = torchvision()
    T = tv.transforms
    folder = write(tmp_path_factory.mktemp("pictures"), count=SAMPLES)
    return tv.datasets.ImageFolder(folder, T.Compose([T.RandomResizedCrop(8), T.RandomHorizontalFlip(), T.ToTensor()]))


def made(dataset, **more):
    return DataLoader(dataset, batch_size=4, shuffle=True, engine="native", generator=torch.Generator().manual_seed(3), **more)


def stepwise(loader, steps):
    """As programs that count steps draw: the next iterator begins while the last one is there."""
    batches = iter(loader)
    for _ in range(steps):
        try:
            yield next(batches)
        except StopIteration:
            batches = iter(loader)
            yield next(batches)


def test_the_same_batches_and_each_file_is_read_or_decoded_once(dataset):
    plain = list(stepwise(made(dataset), 15))
    for cache in ("encoded", "decoded", {"memory_mb": 8, "keep": "decoded"}):
        loader = made(dataset, cache=cache)
        kept = list(stepwise(loader, 15))
        assert all(torch.equal(a, c) and torch.equal(b, d) for (a, b), (c, d) in zip(plain, kept, strict=True))
        figures = loader.stats()["cache"]["memory"]
        assert figures["keeps"] == (cache if isinstance(cache, str) else "decoded")
        assert (figures["samples"], figures["misses"], figures["denied"]) == (SAMPLES, SAMPLES, 0)
        assert figures["hits"] == 2 * SAMPLES
    assert "cache" not in made(dataset).stats()


def test_a_second_iterator_beside_the_first_takes_no_memory_of_its_own(dataset):
    loader = made(dataset, cache="decoded")
    first, second = iter(loader), iter(loader)
    pairs = list(zip(first, second))
    assert len(pairs) == 5 and loader.stats()["cache"]["memory"]["samples"] == SAMPLES
    del first, second
    list(loader)
    assert loader.stats()["cache"]["memory"]["hits"] == SAMPLES, "the engine that keeps is taken first"


def test_a_folder_serves_the_next_loader(dataset, tmp_path):
    cache = {"memory_mb": None, "folder": tmp_path / "kept", "disk_mb": 16}
    list(made(dataset, cache=cache))
    later = made(dataset, cache=cache)
    list(later)
    disk = later.stats()["cache"]["disk"]
    assert (disk["hits"], disk["misses"]) == (SAMPLES, 0) and later.stats()["cache"]["memory"] is None


@pytest.mark.parametrize("cache", ["all", 5, {"memory": 3}, {"memory_mb": 0}, {"memory_mb": True}, {"keep": "crops"}, {"folder": "/x"},
                                   {"memory_mb": None}, {"memory_mb": None, "folder": "/x", "disk_mb": 1, "keep": "decoded"}], ids=str)
def test_what_no_cache_is_is_said(dataset, cache):
    with pytest.raises(ValueError, match="cache"):
        made(dataset, cache=cache)


def test_it_is_the_native_engines(dataset):
    with pytest.raises(ValueError, match="engine='native'"):
        DataLoader(dataset, cache="encoded")
    assert DataLoader([1, 2], engine="auto", cache="encoded").stats()["engine"] == "torch"
