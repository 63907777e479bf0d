"""A loader that goes on from a state gives what the uninterrupted one would have given."""

import copy
import io
import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch.utils.data import DistributedSampler

import torch_sets
from flatout.torch import DataLoader


def made(kind, workers, order, own_generator=True, **more):
    dataset = getattr(torch_sets, kind)()
    if order in ("Odd", "Remembers"):
        more["sampler"] = getattr(torch_sets, order)(23)
    elif order == "Distributed":
        more["sampler"] = DistributedSampler(dataset, 2, 1, seed=3)
        more["sampler"].set_epoch(7)
    elif order == "shuffle":
        more["shuffle"] = True
    if own_generator:
        more["generator"] = torch.Generator().manual_seed(11)
    return DataLoader(dataset, num_workers=workers, collate_fn=torch_sets.plain, **more)


def part(iterator, batches):
    return [batch for _, batch in zip(range(batches), iterator)]


def check(kind, workers, order, place, workers_after=None, **more):
    """The rest of the epoch, and with a generator of its own the epoch behind it."""
    torch.manual_seed(1)
    loader = made(kind, workers, order, **more)
    iterator = iter(loader)
    for _ in range(place):
        if next(iterator, None) is None:
            break
    state = json.loads(json.dumps(loader.state_dict()))
    at_end = loader.state_dict()["_iterator_finished"]
    rest = list(iterator)
    next_epoch = list(loader)
    torch.manual_seed(2)
    before = torch.get_rng_state()
    resumed = made(kind, workers if workers_after is None else workers_after, order, **more)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    if not at_end:
        if order != "Odd":  # which begins its next epoch with random numbers that are not the loader's
            assert list(resumed) == rest
            assert torch.equal(before, torch.get_rng_state()) or workers == 0, "the resume drew from the process's generator"
        else:
            assert list(resumed) == rest
            return
    if more.get("own_generator", True) and order != "Odd" and kind != "Drawn":
        assert list(resumed) == next_epoch


@given(order=some.sampled_from(["plain", "shuffle", "Odd", "Remembers", "Distributed"]), place=some.integers(0, 25),
       batch_size=some.sampled_from([None, 1, 4, 23, 30]), drop_last=some.booleans(), own_generator=some.booleans())
@settings(max_examples=150, deadline=None)
def test_at_each_place(order, place, batch_size, drop_last, own_generator):
    check("Numbers", 0, order, place, batch_size=batch_size, drop_last=drop_last and batch_size is not None, own_generator=own_generator)


@given(order=some.sampled_from(["plain", "shuffle", "Odd", "Remembers", "Distributed"]), place=some.integers(0, 7), workers=some.integers(1, 2),
       persistent=some.booleans())
@settings(max_examples=12, deadline=None, derandomize=True)
def test_at_each_place_with_workers(order, place, workers, persistent):
    check("Drawn", workers, order, place, batch_size=4, persistent_workers=persistent)


@given(kind=some.sampled_from(["Stream", "Taped"]), place=some.integers(0, 12), every=some.sampled_from([0, 1, 3]))
@settings(max_examples=60, deadline=None)
def test_iterable(kind, place, every):
    check(kind, 0, "plain", place, batch_size=4, snapshot_every_n_steps=every)


@given(kind=some.sampled_from(["Stream", "Taped"]), place=some.integers(0, 10), every=some.sampled_from([0, 1, 3]))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_iterable_with_workers(kind, place, every):
    check(kind, 2, "plain", place, batch_size=4, snapshot_every_n_steps=every)


def test_random_numbers_between_two_states():
    """What was drawn since the last state that a worker sent is drawn again, from the random states of that moment."""
    check("Taped", 2, "plain", 7, batch_size=4, snapshot_every_n_steps=3)


@pytest.mark.parametrize("before, after", [(0, 2), (2, 0), (2, 1), (1, 2)])
def test_another_number_of_workers(before, after):
    check("Numbers", before, "shuffle", 3, workers_after=after, batch_size=4)


@pytest.mark.parametrize("before, after", [(0, 1), (1, 0)])
@pytest.mark.parametrize("kind", ["Taped", "Counter"])
def test_none_and_one_worker_are_the_same(kind, before, after):
    loader = made(kind, before, "plain", batch_size=3)
    expected = made(kind, before, "plain", batch_size=3)
    iterator = iter(loader)
    part(iterator, 2)
    resumed = made(kind, after, "plain", batch_size=3)
    resumed.load_state_dict(loader.state_dict())
    numbers = [[sample[0] for sample in batch] for batch in resumed]
    assert numbers == [[sample[0] for sample in batch] for batch in expected][2:]


@pytest.mark.parametrize("kind", ["Stream", "Counter"])
def test_a_number_of_workers_that_cannot_be(kind):
    loader = made(kind, 2, "plain")
    iterator = iter(loader)
    part(iterator, 3)
    state = loader.state_dict()
    with pytest.raises(ValueError, match="num_workers=2, this loader has num_workers=0.*Use num_workers=2"):
        made(kind, 0, "plain").load_state_dict(state)
    assert len(list(made(kind, 0, "plain"))) > 3


def test_a_dataset_with_a_state():
    for workers in (0, 1):
        check("Counter", workers, "shuffle", 3, batch_size=4)


def test_a_state_of_another_loader():
    with pytest.raises(ValueError, match="no state of a flatout.torch.DataLoader"):
        DataLoader(torch_sets.Numbers()).load_state_dict({"_num_yielded": 3, "_num_workers": 0})


@pytest.mark.parametrize("workers", [0, 2])
def test_before_the_first_batch_and_after_the_last(workers):
    loader = made("Numbers", workers, "shuffle", own_generator=False, batch_size=5)
    first = loader.state_dict()
    whole = list(loader)
    end = loader.state_dict()
    behind = list(loader)
    assert whole != behind
    for state, expected in ((first, whole), (end, behind)):
        resumed = made("Numbers", workers, "shuffle", own_generator=False, batch_size=5)
        resumed.load_state_dict(state)
        assert list(resumed) == expected


def test_all_delivered_but_not_yet_ended():
    loader = DataLoader(torch_sets.Numbers(4), batch_size=2)
    iterator = iter(loader)
    next(iterator), next(iterator)
    resumed = DataLoader(torch_sets.Numbers(4), batch_size=2)
    resumed.load_state_dict(loader.state_dict())
    assert list(resumed) == [] and len(list(resumed)) == 2


def test_state_is_of_the_time_it_was_taken_and_loads_without_trust():
    loader = made("Taped", 2, "plain", batch_size=3)
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    kept = copy.deepcopy(state)
    part(iterator, 3)
    assert state == kept != loader.state_dict()
    stored = io.BytesIO()
    torch.save(state, stored)
    stored.seek(0)
    assert torch.load(stored, weights_only=True) == kept
    assert len(json.dumps(made("Numbers", 2, "shuffle").state_dict())) < 40_000


def test_the_iterator_may_be_gone():
    loader = made("Numbers", 2, "shuffle", batch_size=4)
    expected = list(made("Numbers", 0, "shuffle", batch_size=4))
    for number, _ in enumerate(loader):
        if number == 2:
            break
    resumed = made("Numbers", 2, "shuffle", batch_size=4)
    resumed.load_state_dict(loader.state_dict())
    assert list(resumed) == expected[3:]


def test_no_sample_is_read_to_go_back():
    loader = DataLoader(torch_sets.Numbers(20), shuffle=True, batch_size=2)
    iterator = iter(loader)
    part(iterator, 5)
    state = loader.state_dict()
    read = torch_sets.Counter(20)
    resumed = DataLoader(read, shuffle=True, batch_size=2)
    resumed.load_state_dict(state)
    next(iter(resumed))
    assert read.reads == 2


def test_set_epoch_of_a_sampler_comes_back():
    loader = made("Numbers", 0, "Distributed", batch_size=3)
    iterator = iter(loader)
    next(iterator)
    state, rest = loader.state_dict(), list(iterator)
    resumed = made("Numbers", 0, "Distributed", batch_size=3)
    resumed.sampler.set_epoch(0)
    resumed.load_state_dict(state)
    assert list(resumed) == rest and resumed.sampler.epoch == 7
