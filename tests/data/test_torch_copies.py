"""flatout.torch.DataLoader pickled, copied, handed to a new process, subclassed and set, as torch's own."""

import copy
import io
import multiprocessing
import pickle
import sys
from pathlib import Path

import pytest
import torch
import torch.utils.data

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/knobs"))
from flatout.torch import DataLoader  # noqa: E402
from pictures import torchvision, write  # noqa: E402
from torch_sets import Holes, Numbers  # noqa: E402


class Mine(DataLoader):
    def __init__(self, dataset, note, **arguments):
        super().__init__(dataset, **arguments)
        self.note = note


WAYS = {"pickle": lambda loader: pickle.loads(pickle.dumps(loader)), "copy": copy.copy, "deepcopy": copy.deepcopy}
ARGUMENTS = {
    "plain": {},
    "threads": {"engine": "threads", "num_workers": 2},
    "threads that persist": {"engine": "threads", "num_workers": 2, "persistent_workers": True},
    "processes": {"num_workers": 1},
    "processes that persist": {"num_workers": 1, "persistent_workers": True},
    "bad samples": {"on_bad_sample": "skip"},
    "auto": {"engine": "auto"},
}
BEFORE = {"new": lambda loader: None, "begun": lambda loader: next(iter(loader)), "finished": list}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_copied(arguments, way, before):
    loader = Mine(Holes(11, {4} if arguments == "bad samples" else ()), "mine", batch_size=3, **ARGUMENTS[arguments])
    BEFORE[before](loader)
    made = WAYS[way](loader)
    assert type(made) is Mine and isinstance(made, torch.utils.data.DataLoader)
    assert (made.note, made.engine, made.on_bad_sample) == ("mine", loader.engine, loader.on_bad_sample)
    assert made.stats()["batches"] == 0 and made.stats()["engine"] == loader.stats()["engine"]
    assert [batch.tolist() for batch in made] == [batch.tolist() for batch in loader]


@pytest.mark.parametrize("way", WAYS)
def test_native_is_copied(tmp_path, way):
    ours = torchvision()
    dataset = ours.datasets.ImageFolder(write(tmp_path, count=8), ours.transforms.Compose([ours.transforms.CenterCrop(8), ours.transforms.ToTensor()]))
    loader = DataLoader(dataset, batch_size=3, engine="native")
    next(iter(loader))
    made = WAYS[way](loader)
    assert made.stats()["engine"] == "native"
    for one, other in zip(made, loader, strict=True):
        assert torch.equal(one[0], other[0]) and torch.equal(one[1], other[1])


def test_saved_with_torch_save():
    octets = io.BytesIO()
    torch.save(DataLoader(Numbers(5), batch_size=2, engine="threads", num_workers=1), octets)
    octets.seek(0)
    assert [batch.tolist() for batch in torch.load(octets, weights_only=False)] == [[0, 1], [2, 3], [4]]


def _read(loader, back):
    back.put([batch.tolist() for batch in loader])


@pytest.mark.parametrize("engine", ["torch", "threads"])
def test_in_a_spawned_process(engine):
    spawn = multiprocessing.get_context("spawn")
    back = spawn.SimpleQueue()
    child = spawn.Process(target=_read, args=(DataLoader(Numbers(5), batch_size=2, engine=engine, num_workers=1), back))
    child.start()
    child.join()
    assert child.exitcode == 0 and back.get() == [[0, 1], [2, 3], [4]]


def test_a_loaded_place_goes_along():
    loader = DataLoader(Numbers(11), batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(3))
    batches = iter(loader)
    next(batches)
    again = DataLoader(Numbers(11), batch_size=3, shuffle=True, generator=torch.Generator())
    again.load_state_dict(loader.state_dict())
    made = copy.deepcopy(again)
    rest = [batch.tolist() for batch in batches]
    assert [batch.tolist() for batch in made] == rest
    assert [batch.tolist() for batch in again] == rest


@pytest.mark.parametrize("name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers", "num_workers", "note"])
@pytest.mark.parametrize("way", [None, *WAYS])
def test_attributes_are_set_as_torchs(name, way):
    said = []
    for kind in (torch.utils.data.DataLoader, DataLoader):
        loader = kind(Numbers(5)) if way is None else WAYS[way](kind(Numbers(5)))
        try:
            setattr(loader, name, 2)
            said.append(getattr(loader, name))
        except ValueError as error:
            said.append(str(error))
    assert said[0] == said[1]
