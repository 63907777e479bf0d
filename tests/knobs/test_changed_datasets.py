"""Workers that persist by a plan, and a dataset that the program changes between epochs."""

import sys
import time
import types

import pytest
import torch
from planned import train

PERSISTENT = "dataloader.persistent_workers"
CHANGES = "the program changes its dataset between epochs"


def curriculum(folder, **choices):
    return train(folder, {PERSISTENT: True}, program="curriculum.py", **choices)


@pytest.mark.parametrize(
    "choices",
    [
        {"changed": "dataset"},
        {"changed": "class"},
        {"changed": "transform"},
        {"changed": "dataset", "subset": True},
        {"changed": "transform", "subset": True},
        {"changed": "transform", "hostile": True},
    ],
)
@pytest.mark.every_change("choices0", "choices3", "choices5")
def test_a_changed_dataset_reaches_the_workers(tmp_path, choices):
    seen = curriculum(tmp_path, **choices)
    assert seen.saw["levels"] == [[0.0], [0.0], [1.0], [1.0]]
    first, second, third, fourth = seen.saw["fetched_by"]
    assert first == second, "nothing was changed yet"
    assert not set(second) & set(third) and not set(third) & set(fourth), "new ones for all further epochs"
    word = seen.knobs[PERSISTENT]
    assert not word["applied"] and CHANGES in word["reason"] and not seen.saw["persistent"]


@pytest.mark.parametrize("choices", [{"subset": True}, {"hostile": True}])
@pytest.mark.every_change("choices1")
def test_an_unchanged_dataset_keeps_its_workers(tmp_path, choices):
    seen = curriculum(tmp_path, changed="nothing", **choices)
    assert len({tuple(processes) for processes in seen.saw["fetched_by"]}) == 1
    assert seen.knobs[PERSISTENT]["applied"] and seen.stderr == ""


def test_the_programs_own_workers_persist_as_ever(tmp_path):
    seen = curriculum(tmp_path, changed="dataset", loader={"persistent_workers": True})
    assert seen.saw["levels"] == 4 * [[0.0]] and seen.saw["persistent"]


@pytest.fixture
def look(knobs):
    return sys.modules[knobs.__name__ + ".persistent_workers"].fingerprint


def test_what_is_looked_at(look):
    shared, own, array = torch.zeros(2).share_memory_(), torch.zeros(2), [1, 2]
    held = types.SimpleNamespace(shared=shared, own=own, array=array, at={"a": 1}, level=0.5)
    for change, changes in (
        (lambda: None, False),
        (lambda: shared.add_(1), False),  # workers see it
        (lambda: own.add_(1), True),
        (lambda: array.reverse(), True),
        (lambda: held.at.update(a=2), True),
        (lambda: setattr(held, "level", 0.25), True),
        (lambda: delattr(held, "level"), True),
    ):
        before = look(torch, [held])
        assert before is not None
        change()
        assert (look(torch, [held]) != before) is changes


def test_looking_takes_next_to_no_time(look):
    held = types.SimpleNamespace(paths=["/data/%d.jpg" % number for number in range(10**6)])
    held.many = {number: types.SimpleNamespace(paths=held.paths, more=list(range(1000))) for number in range(1000)}
    took = []
    for _ in range(20):
        begun = time.perf_counter()
        assert look(torch, [held]) is not None
        took.append(time.perf_counter() - begun)
    assert min(took) < 0.002


def test_it_ends_where_objects_hold_each_other(look):
    first, second = types.SimpleNamespace(), []
    first.inner = second
    second += [first, second]
    assert look(torch, [first]) == look(torch, [first])
