"""Knobs that a tuner switches while the program runs, through the control page."""

import itertools
import json
import os
import signal
import time

import pytest
from driven import DISTURBED, FAILED, MEASURED, OTHERS, Driven
from harness import wait_for
from planned import PROGRAMS

WORKERS, FUSED, THREADS = "dataloader.num_workers", "optimizer.fused", "env.intraop_threads"


def driven(folder, variables=None, **choices):
    return Driven(folder / "driven", PROGRAMS / "goes_on.py", json.dumps(choices), **(variables or {}))


def epochs(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_a_block_has_its_steps_and_what_became_of_each_knob(tmp_path):
    with driven(tmp_path, samples=80000) as program:
        plain = program.block({}, steps=15)
        assert (plain.end, plain.steps, plain.outcomes) == (MEASURED, 15, {}) and plain.ns > 0
        both = program.block({WORKERS: 2, FUSED: True}, steps=15)
        assert both.end == MEASURED
        assert {knob: word["applied"] for knob, word in both.outcomes.items()} == {WORKERS: True, FUSED: True}
        refused = program.block({"layout.channels_last": True})
        assert refused.outcomes["layout.channels_last"]["reason"] == "the model has no Conv2d"
        status, _said = program.end()
    assert status == 0


def test_what_was_set_is_put_back(tmp_path):
    with driven(tmp_path, samples=800) as program:
        for _ in range(3):
            on = program.block({FUSED: True, THREADS: 2, WORKERS: 1}, steps=110, settle=0)
            assert all(word["applied"] for word in on.outcomes.values()) and len(on.outcomes) == 3
            program.block({}, steps=110, settle=0)
        _status, said = program.end()
    seen = {(line["fused"], line["threads"]) for line in epochs(said)}
    assert (None, 1) in seen, "as the program made them"
    assert seen <= {(None, 1), (True, 2)}, "nothing in between"


def test_layout_and_precision_go_back_and_forth(tmp_path):
    layout, half = "layout.channels_last", "precision.bf16"
    with driven(tmp_path, samples=800, pictures=True) as program:
        for knobs in ({layout: True}, {}, {half: True}, {layout: True, half: True}, {}, {half: True}, {}):
            done = program.block(knobs, steps=110, settle=0)
            assert {knob: word["applied"] for knob, word in done.outcomes.items()} == knobs
        _status, said = program.end()
    assert {line["last"] for line in epochs(said)} == {False, True}
    assert all(line["finite"] and line["dtype"] == "torch.float32" for line in epochs(said))


@pytest.mark.parametrize("held", [False, True])
def test_an_epoch_has_as_many_batches_as_ever(tmp_path, held):
    """Also where the loader is a temporary of the for statement's own, as it is with held=False."""
    with driven(tmp_path, samples=240, held=held) as program:
        for workers in (1, 2, 0, 1, 2, 1):
            done = program.block({WORKERS: workers} if workers else {}, steps=13, settle=2)
            assert done.end in (MEASURED, DISTURBED)
        _status, said = program.end()
    assert len(epochs(said)) > 2
    assert {line["drawn"] for line in epochs(said)} == {240}
    assert all(line["finite"] for line in epochs(said))


def test_random_streams_of_the_program_go_on_where_they_were(tmp_path):
    """Settings that draw nothing and load nothing."""
    with driven(tmp_path / "a", samples=80) as plain:
        plain.block({}, steps=4, settle=60)
        _status, bare = plain.end()
    with driven(tmp_path / "b", samples=80) as switched:
        for knobs in ({}, {FUSED: True}, {}, {THREADS: 2}, {}):
            switched.block(knobs, steps=2, settle=8)
        _status, said = switched.end()
    count = min(len(epochs(bare)), len(epochs(said)))
    assert count > 2
    assert [line["random"] for line in epochs(said)][:count] == [line["random"] for line in epochs(bare)][:count]


def test_epochs_shorter_than_a_block_disturb_it(tmp_path):
    with driven(tmp_path, samples=40) as program:
        assert program.block({}, steps=20).end == DISTURBED
        assert program.block({}, steps=1, settle=0).end == MEASURED


def test_a_block_may_have_epochs_in_it(tmp_path):
    with driven(tmp_path, samples=40) as program:
        done = program.block({}, steps=20, settle=0, with_epochs=1)
        assert (done.end, done.steps, done.restarts) == (MEASURED, 20, 0)


def test_it_rests_until_it_is_asked_again(tmp_path):
    with driven(tmp_path, samples=8000) as program:
        program.block({}, steps=2, settle=0)
        program.rest()
        closed = program.closed()
        time.sleep(0.1)  # of hundreds of steps
        assert program.closed() == closed
        assert program.block({FUSED: True}, steps=3, settle=2).end == MEASURED
        assert program.closed() >= closed + 5
        program.rest()
        status, _said = program.end()
    assert status == 0


@pytest.mark.parametrize("when", ["once it rests", "before it sleeps"])
def test_a_signals_handler_runs_while_it_rests(tmp_path, when):
    """Python runs it in the main thread alone, which is the one that rests."""
    with driven(tmp_path, samples=8000, handles=True) as program:
        program.block({}, steps=2, settle=0)
        program.rest()
        closed = program.closed()
        if when == "once it rests":
            time.sleep(0.1)
        program.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: "handled" in program.output.read_text())
        assert program.closed() == closed, "it rests on"
        assert program.block({}, steps=3).end == MEASURED
        program.end()


def test_an_interrupt_ends_the_rest(tmp_path):
    with driven(tmp_path, samples=8000) as program:
        program.block({}, steps=2, settle=0)
        program.rest()
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(timeout=60) in (-signal.SIGINT, 1)
        said = program.output.read_text()
    assert said.rstrip().endswith("KeyboardInterrupt") and "_flatout_hooks" not in said


@pytest.mark.parametrize("limit", [60, 4], ids=["before", "beyond"])
def test_let_go_it_ends_after_its_steps(tmp_path, limit):
    with driven(tmp_path, samples=8000, variables={"FLATOUT_STOP_AFTER": limit}) as program:
        program.block({}, steps=10, settle=2)
        assert program.let_go() == 0
        assert program.closed() >= 12


def test_what_the_plan_set_can_be_put_back(tmp_path):
    """A program that was started for a trial goes on, and is compared with what it is without."""
    plan = json.dumps({FUSED: True, THREADS: 2, WORKERS: 1})
    with driven(tmp_path, samples=800, variables={"FLATOUT_PLAN": plan}) as program:
        for knobs in ({FUSED: True, THREADS: 2, WORKERS: 1}, {}, {FUSED: True}):
            program.block(knobs, steps=210, settle=0, with_epochs=1)
        _status, said = program.end()
    assert [seen for seen, _ in itertools.groupby((line["fused"], line["threads"]) for line in epochs(said))] == [
        (True, 2), (None, 1), (True, 1)]


@pytest.mark.parametrize("knobs,word", [
    ({"batch.size": 4}, "only when the program starts"),
    ({"no.such": 1}, "only when the program starts"),
])  # fmt: skip
def test_what_cannot_be_switched_is_refused_at_once(tmp_path, knobs, word):
    with driven(tmp_path, samples=8000) as program:
        refused = program.block(knobs)
        assert refused.end == FAILED and word in refused.text
        assert program.block({}).end == MEASURED, "it goes on"


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b'{"optimizer.fused": {"a": [1]}}', b"null"])
@pytest.mark.every_change("\\xff\\xfe", '{"optimizer.fused": {"a": [1]}}')
def test_nonsense_on_the_page_breaks_nothing(tmp_path, text):
    with driven(tmp_path, samples=8000) as program:
        program.block({})
        program.ask_text(text)
        assert program.block({FUSED: True}).outcomes[FUSED]["applied"]
        assert program.end()[0] == 0


def test_one_process_is_driven_and_others_are_counted(tmp_path):
    with driven(tmp_path, samples=80, fork=True) as program:
        assert program.block({}, steps=1, settle=0).end == MEASURED
        deadline = time.monotonic() + 60
        while program.number(OTHERS) == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert program.number(OTHERS) == 1


def test_workers_that_are_parked_end_with_the_program(tmp_path):
    with driven(tmp_path, samples=80000) as program:
        program.block({WORKERS: 2})
        program.block({})
        children = _children(program.process.pid)
        assert len(children) >= 2, "the others wait"
        program.end()
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{child}") and not _zombie(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [child for child in children if os.path.exists(f"/proc/{child}") and not _zombie(child)]


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


def _zombie(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
