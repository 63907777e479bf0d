"""What a dataset says against workers, on the datasets of programs/train.py."""

import importlib.util
import sys
import types

import pytest
import torch
from planned import PROGRAMS


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("knobs_train", PROGRAMS / "train.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def reason(knobs, program, kind, own, asked, **arguments):
    workers = sys.modules[knobs.__name__ + ".num_workers"].NumWorkers
    loader = torch.utils.data.DataLoader(program.dataset_of(kind), num_workers=own, **arguments)
    return workers.wrong(asked) or workers.refused(torch, loader, asked)


@pytest.mark.parametrize(
    ("kind", "own", "asked", "part"),
    [
        ("Stream", 0, 2, "does not divide"),
        ("Stream", 2, 3, "does not divide"),
        ("Stream", 3, 2, "does not divide"),  # fewer copies are a change too
        ("UnshardedPipe", 0, 2, "does not divide"),
        ("Opened", 0, 2, "an open BufferedReader"),
        ("Plain", 0, -1, "whole number"),
        ("Plain", 0, True, "whole number"),
        ("Plain", 0, "2", "whole number"),
        ("Plain", 0, 2.0, "whole number"),
        ("Plain", 0, 1025, "whole number"),
    ],
)
def test_refused(knobs, program, kind, own, asked, part):
    assert part in reason(knobs, program, kind, own, asked)


@pytest.mark.parametrize(
    ("kind", "own", "asked"),
    [
        ("Stream", 0, 1),
        ("Stream", 3, 3),
        ("Stream", 1, 0),
        ("Sharded", 0, 2),
        ("ShardedByAFunction", 0, 2),
        ("Wrapped", 0, 2),
        ("ShardedPipe", 0, 2),
        ("Opened", 1, 2),  # the program's own workers live with it
        ("Closed", 0, 2),
        ("Tensors", 0, 2),
        ("Plain", 2, 0),
    ],
)
def test_taken(knobs, program, kind, own, asked):
    assert reason(knobs, program, kind, own, asked) is None


def test_worker_init_fn_may_be_what_divides(knobs, program):
    assert reason(knobs, program, "ShardedAtStart", 0, 2) is not None
    assert reason(knobs, program, "ShardedAtStart", 0, 2, worker_init_fn=program.take_a_shard) is None


def test_cuda_tensors_stay_in_the_training_process(knobs):
    class Tensor:
        is_cuda = True

    class Dataset:
        def __init__(self, tensor):
            self.tensors = (tensor,)

    torch = types.SimpleNamespace(
        Tensor=Tensor,
        nn=types.SimpleNamespace(Parameter=Tensor),
        utils=types.SimpleNamespace(data=types.SimpleNamespace(Dataset=Dataset)),
    )
    datasets = sys.modules["_flatout_hooks.knobs.datasets"]
    loader = types.SimpleNamespace(dataset=Dataset(Tensor()))
    assert "CUDA tensors" in datasets.why_no_workers(torch, loader)
    loader.dataset.tensors[0].is_cuda = False
    assert datasets.why_no_workers(torch, loader) is None
    loader.dataset = types.SimpleNamespace(whole=Dataset(Tensor()))
    assert "CUDA tensors" in datasets.why_no_workers(torch, loader), "inside a dataset that it wraps"
