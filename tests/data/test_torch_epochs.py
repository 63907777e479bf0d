"""Epochs that are finished, given up, begun twice or broken by an error: every engine, batch by batch as torch's own DataLoader."""

import sys
from pathlib import Path

import numpy
import pytest
import torch
import torch.utils.data
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/knobs")]
from pictures import torchvision  # noqa: E402
from flatout.torch import DataLoader  # noqa: E402
from torch_sets import Holes, Numbers  # noqa: E402


def taken(batches, count=100):
    """What the next calls give; a name where it is an exception, the last of which is StopIteration."""
    got = []
    while len(got) < count and got[-1:] != ["StopIteration"]:
        try:
            batch = next(batches)
            got.append((batch[1] if isinstance(batch, list) else batch).tolist())
        except Exception as error:  # noqa: BLE001
            got.append(type(error).__name__)
    return got


def four_epochs(loader):
    return [taken(iter(loader)) for _ in range(4)]


def given_up(loader):
    return [taken(iter(loader), count) for count in (1, 2, 100, 0, 3, 100, 100)]


def one_name(loader):
    """The iterator before is still there while the next one is begun."""
    got, batches = [], None
    for count in (2, 1, 0, 100):
        batches = iter(loader)
        got.append(taken(batches, count))
    return got


def two_alive(loader):
    one = iter(loader)
    first = taken(one, 2)
    other = iter(loader)
    return [first, taken(other, 1), taken(one, 1), taken(other), taken(iter(loader))]


def beyond_the_end(loader):
    batches = iter(loader)
    return [taken(batches), taken(batches, 1), taken(batches, 1), taken(iter(loader)), taken(batches, 1)]


def raised_inside(loader):
    got = []
    for _ in range(2):
        try:
            for batch in loader:
                got.append(batch[1].tolist() if isinstance(batch, list) else batch.tolist())
                raise KeyError
        except (KeyError, OSError) as error:
            got.append(type(error).__name__)
    return got + four_epochs(loader)


PROGRAMS = [four_epochs, given_up, one_name, two_alive, beyond_the_end, raised_inside]




@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures")
    for number in range(11):
        path = root / f"{number:02}" / "0.png"
        path.parent.mkdir()
        Image.fromarray(numpy.full((8, 8, 3), number, "uint8")).save(path)
    transform = torchvision().transforms.Compose([torchvision().transforms.CenterCrop(8), torchvision().transforms.ToTensor()])
    return torchvision().datasets.ImageFolder(root, transform)


def as_torch(program, dataset, engine, **arguments):
    results = []
    for kind, more in ((torch.utils.data.DataLoader, {}), (DataLoader, {"engine": engine})):
        torch.manual_seed(3)
        results.append((program(kind(dataset, batch_size=3, shuffle=True, **arguments, **more)), torch.rand(1).item()))
    assert results[1] == results[0]


WORKERS = [{"num_workers": 0}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("workers", WORKERS, ids=["none", "two", "persistent"])
@pytest.mark.parametrize("engine", ["torch", "threads"])
def test_numbers(program, workers, engine):
    as_torch(program, Numbers(11), engine, **workers)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("workers", WORKERS, ids=["none", "two", "persistent"])
@pytest.mark.parametrize("engine", ["torch", "threads"])
def test_errors_of_the_dataset(program, workers, engine):
    as_torch(program, Holes(11, {4}), engine, **workers)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("workers", WORKERS, ids=["none", "two", "persistent"])
@pytest.mark.parametrize("engine", ["native", "auto"])
def test_pictures(folder, program, workers, engine):
    as_torch(program, folder, engine, **workers)


@pytest.mark.parametrize("engine", ["torch", "threads"])
def test_resumed_behind_an_epoch_that_persists(engine):
    arguments = {"batch_size": 3, "shuffle": True, "num_workers": 2, "persistent_workers": True, "engine": engine}
    torch.manual_seed(5)
    loader = DataLoader(Numbers(11), **arguments)
    taken(iter(loader)), taken(iter(loader))
    state = loader.state_dict()
    rest = [taken(iter(loader)) for _ in range(2)]
    torch.manual_seed(77)
    again = DataLoader(Numbers(11), **arguments)
    again.load_state_dict(state)
    assert taken(iter(again)) == rest[0]
