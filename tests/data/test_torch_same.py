"""flatout.torch.DataLoader gives what torch's gives: batches, order, random draws, errors."""

import collections
import inspect
import random

import numpy
import pytest
import torch
from torch.utils.data import BatchSampler, SequentialSampler, TensorDataset
from torch.utils.data import DataLoader as Theirs

import torch_sets
from flatout.torch import DataLoader

Point = collections.namedtuple("Point", "x y")


class Kinds(torch_sets.Numbers):
    KINDS = [lambda n: torch.tensor([n, n]), lambda n: numpy.float32(n), lambda n: numpy.arange(n, n + 2), float, int, str,
             lambda n: b"%d" % n, lambda n: {"a": n, "b": [n, str(n)]}, lambda n: Point(n, torch.tensor(n)), lambda n: (n, [n, n])]

    def __init__(self, kind):
        super().__init__(5)
        self.kind = kind

    def __getitem__(self, number):
        return self.KINDS[self.kind](number)


def same(one, other):
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("kind", range(len(Kinds.KINDS)))
@pytest.mark.parametrize("batch_size", [2, None])
def test_types_of_collated_batches(kind, batch_size):
    ours, theirs = (list(loader(Kinds(kind), batch_size=batch_size)) for loader in (DataLoader, Theirs))
    assert same(ours, theirs)


def states():
    return torch.get_rng_state().tolist(), random.getstate(), numpy.random.get_state()[1].tolist()


def seeded(kind, epochs=2, **arguments):
    torch.manual_seed(5)
    random.seed(5)
    numpy.random.seed(5)
    if arguments.pop("own_generator", False):
        arguments["generator"] = torch.Generator().manual_seed(9)
    if "sampler" in arguments:
        arguments["sampler"] = arguments["sampler"](23)
    loader = kind(torch_sets.Drawn(), collate_fn=torch_sets.plain, **arguments)
    batches = [list(loader) for _ in range(epochs)]
    own = arguments["generator"].get_state().tolist() if "generator" in arguments else None
    return batches, states(), own, len(loader)


ORDERS = [{}, {"shuffle": True}, {"shuffle": True, "own_generator": True}, {"own_generator": True},
          {"sampler": torch_sets.Odd}, {"sampler": torch_sets.Remembers}]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("form", [{"batch_size": 4}, {"batch_size": 4, "drop_last": True}, {"batch_size": None}], ids=str)
def test_order_and_random_draws(order, form):
    assert seeded(DataLoader, **order, **form) == seeded(Theirs, **order, **form)


@pytest.mark.parametrize("order", [ORDERS[1], ORDERS[2], ORDERS[4]], ids=str)
@pytest.mark.parametrize("persistent", [False, True])
def test_order_and_random_draws_with_workers(order, persistent):
    arguments = dict(order, batch_size=4, num_workers=2, persistent_workers=persistent)
    assert seeded(DataLoader, **arguments) == seeded(Theirs, **arguments)


@pytest.mark.parametrize("workers", [0, 2])
def test_iterable(workers):
    ours, theirs = (torch.manual_seed(1) and list(kind(torch_sets.Stream(), batch_size=3, num_workers=workers, collate_fn=torch_sets.plain))
                    for kind in (DataLoader, Theirs))
    assert ours == theirs and len(ours) >= 7


MAP, ITERABLE = torch_sets.Numbers(), torch_sets.Stream()
WRONG = [
    dict(dataset=MAP, num_workers=-1), dict(dataset=MAP, timeout=-1), dict(dataset=MAP, prefetch_factor=2),
    dict(dataset=MAP, num_workers=1, prefetch_factor=-1), dict(dataset=MAP, persistent_workers=True),
    dict(dataset=ITERABLE, shuffle=True), dict(dataset=ITERABLE, sampler=[1]), dict(dataset=ITERABLE, batch_sampler=[[1]]),
    dict(dataset=MAP, sampler=[1], shuffle=True), dict(dataset=MAP, batch_sampler=[[1]], batch_size=2),
    dict(dataset=MAP, batch_sampler=[[1]], drop_last=True), dict(dataset=MAP, batch_size=None, drop_last=True),
    dict(dataset=MAP, batch_size=0), dict(dataset=MAP, batch_size=True), dict(dataset=torch_sets.Numbers(0), shuffle=True),
    dict(dataset=MAP, multiprocessing_context="fork"), dict(dataset=MAP, num_workers=1, multiprocessing_context="none"),
    dict(dataset=MAP, num_workers=1, multiprocessing_context=3), dict(dataset=MAP, no_such=1), dict(),
]


def error_of(kind, **arguments):
    with pytest.raises(Exception) as raised:
        list(kind(**arguments))
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("arguments", WRONG)  # not named by their text: it holds addresses
def test_errors_of_arguments(arguments):
    assert error_of(DataLoader, **arguments) == error_of(Theirs, **arguments)


@pytest.mark.parametrize("name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"])
def test_attributes_that_stay(name):
    messages = []
    for kind in (DataLoader, Theirs):
        with pytest.raises(ValueError) as raised:
            setattr(kind(MAP), name, None)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_of_a_sample_is_torchs(workers):
    kind, text = error_of(DataLoader, dataset=torch_sets.Holes(5, {3}), num_workers=workers)
    assert kind is OSError and "file 3 is cut off" in text
    assert ("in DataLoader worker process 0" in text and "Original Traceback" in text) == bool(workers)


def test_going_on_behind_an_error():
    for workers in (0, 1):
        iterator = iter(DataLoader(torch_sets.Holes(5, {1}), num_workers=workers))
        assert next(iterator).item() == 0
        with pytest.raises(OSError):
            next(iterator)
        assert [batch.item() for batch in iterator] == [2, 3, 4]


def test_it_is_one_of_torchs_with_its_parts():
    loader = DataLoader(MAP, 4, True)
    assert isinstance(loader, Theirs) and type(loader.batch_sampler) is BatchSampler
    assert type(DataLoader(MAP).sampler) is SequentialSampler
    theirs, ours = (list(inspect.signature(kind.__init__).parameters) for kind in (Theirs, DataLoader))
    assert ours == theirs + ["engine", "on_bad_sample", "snapshot_every_n_steps", "cache"]
    assert all(hasattr(loader, name) for name in ours if name != "self" and name not in ("args", "kwargs", "shuffle"))


def test_it_can_be_named_with_a_type():
    assert DataLoader[int].__origin__ is DataLoader


def test_flatout_run_names_the_users_line():
    """The hooks take the innermost frame that is no library's as the place where a loader was built."""
    import importlib.util
    from pathlib import Path

    file = Path(__file__).resolve().parents[2] / "python" / "flatout" / "hooks" / "core" / "callsite.py"
    spec = importlib.util.spec_from_file_location("_flatout_hooks.core.callsite", file)
    callsite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(callsite)
    ours = {"__name__": "flatout.torch.loader", "user_line": callsite.user_line}
    exec(compile("def built():\n    return user_line()", "loader.py", "exec"), ours)
    assert ours["built"]().startswith(__file__)


def test_pinning_goes_through():
    class Pinned(list):
        def pin_memory(self):
            return "pinned"

    from torch.utils.data._utils.pin_memory import pin_memory

    from flatout.torch.worker import Fetched

    assert pin_memory(Fetched(Pinned(), b"note")) == Fetched("pinned", b"note")


def test_length_warning():
    class Short(torch_sets.Stream):
        def __len__(self):
            return 3

    for workers in (0, 1):
        loader = DataLoader(Short(), num_workers=workers)
        assert len(loader) == 3
        with pytest.warns(UserWarning, match="Length of IterableDataset"):
            list(loader)


def test_columns():
    ours = list(DataLoader(TensorDataset(torch.arange(6.0), torch.arange(6)), batch_size=4))
    assert [[part.tolist() for part in batch] for batch in ours] == [[[0, 1, 2, 3], [0, 1, 2, 3]], [[4, 5], [4, 5]]]
