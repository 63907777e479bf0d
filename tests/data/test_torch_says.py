"""What torch's DataLoader says and does with unusual arguments, samplers and datasets: ours word by word the same."""

import sys
import warnings
from pathlib import Path

import pytest
import torch
import torch.utils.data
from torch.utils.data import BatchSampler, IterableDataset, SequentialSampler

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/knobs"))
from flatout.torch import DataLoader  # noqa: E402
from pictures import torchvision, write  # noqa: E402
from torch_sets import Numbers  # noqa: E402


class Many(Numbers):
    def __getitems__(self, keys):
        return [100 + key for key in keys]


class Lists(Numbers):
    def __getitem__(self, keys):
        return torch.tensor([key * 10 for key in keys])


class Short(IterableDataset):
    """Says a length, and gives more."""

    def __init__(self, _size):
        pass

    def __repr__(self):
        return "Short()"

    def __len__(self):
        return 3

    def __iter__(self):
        return iter(range(8))


def lists():
    return BatchSampler(SequentialSampler(range(7)), 3, False)


CASES = {
    "prefetch_factor below 0": (Numbers, {"num_workers": 2, "prefetch_factor": -1}),
    "prefetch_factor without workers": (Numbers, {"prefetch_factor": 2}),
    "lists": (Lists, {"batch_size": None, "sampler": lists()}),
    "lists with workers": (Lists, {"batch_size": None, "sampler": lists(), "num_workers": 2}),
    "lists in batches": (Lists, {"batch_size": 2, "sampler": lists()}),
    "batch_sampler": (Numbers, {"batch_sampler": lists()}),
    "batch_sampler is a list": (Numbers, {"batch_sampler": [[0, 2], [1]], "num_workers": 2}),
    "__getitems__": (Many, {"batch_size": 3}),
    "__getitems__ with workers": (Many, {"batch_size": 3, "num_workers": 2}),
    "__getitems__ of one": (Many, {"batch_size": None}),
    "length of an IterableDataset": (Short, {"batch_size": 2}),
    "length with workers": (Short, {"batch_size": 2, "num_workers": 2}),
    "timeout below 0": (Numbers, {"timeout": -1}),
    "workers below 0": (Numbers, {"num_workers": -1}),
    "shuffle and sampler": (Numbers, {"shuffle": True, "sampler": SequentialSampler(range(3))}),
    "batch_size 0": (Numbers, {"batch_size": 0}),
    "nothing persists": (Numbers, {"persistent_workers": True}),
}


def seen(kind, dataset, arguments, **more):
    torch.manual_seed(1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            loader = kind(dataset(7), **arguments, **more)
            got = [len(loader), *([batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader] for _ in range(2))]
        except Exception as error:  # noqa: BLE001
            got = type(error), str(error).split("\n")[0]
    return got, [(one.category, str(one.message)) for one in said]


@pytest.mark.parametrize("engine", ["torch", "threads", "auto"])
@pytest.mark.parametrize("case", CASES)
def test_as_torch(case, engine):
    dataset, arguments = CASES[case]
    if engine == "threads" and dataset is Short:
        with pytest.raises(ValueError, match="IterableDataset"):
            DataLoader(Short(7), engine="threads")
        return
    ours, theirs = seen(DataLoader, dataset, arguments, engine=engine), seen(torch.utils.data.DataLoader, dataset, arguments)
    assert ours == theirs


def test_too_many_workers_are_warned_of_as_torch_does():
    """Threads are no processes: there is no such warning of them."""
    arguments = {"num_workers": 4096}
    said = []
    for kind, more in ((torch.utils.data.DataLoader, {}), (DataLoader, {}), (DataLoader, {"engine": "threads"})):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            kind(Numbers(3), **arguments, **more)
        said.append([str(one.message) for one in heard])
    assert len(said[0]) == 1 and said[1] == said[0] and said[2] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    ours = torchvision()
    steps = ours.transforms.Compose([ours.transforms.CenterCrop(8), ours.transforms.ToTensor()])
    return ours.datasets.ImageFolder(write(tmp_path_factory.mktemp("pictures"), count=8), steps)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("engine", ["threads", "native"])
def test_no_prefetching_is_refused_as_torch_does(folder, engine, persistent):
    loader = DataLoader(folder, num_workers=2, prefetch_factor=0, persistent_workers=persistent, engine=engine)
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0"):
        iter(loader)


def test_a_resized_batch_is_not_corrupted(folder):
    """Its memory is the engine's: smaller is as torch has it, larger an error, as of every tensor over memory that is not torch's. Only the
    shape of that one tensor is then what torch leaves of it."""
    expected = [batch for batch, _ in torch.utils.data.DataLoader(folder, batch_size=3)]
    batches = iter(DataLoader(folder, batch_size=3, engine="native"))
    images, _ = next(batches)
    with pytest.raises(RuntimeError, match="not resizable"):
        images.resize_(400, 3, 8, 8)
    images.resize_(1, 3, 8, 8)
    assert torch.equal(images, expected[0][:1])
    for (batch, _), other in zip(batches, expected[1:], strict=True):
        assert torch.equal(batch, other)


@pytest.mark.parametrize("state", [{"epoch": -1}, {"epoch": -1, "drawn": 0}, {"_snapshot": {}}, {"_indices": {}}, 5, "state", [1]])
def test_a_state_that_is_none_is_refused(state):
    loader = DataLoader(Numbers(5), batch_size=2)
    with pytest.raises(ValueError, match="load_state_dict"):
        loader.load_state_dict(state)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
