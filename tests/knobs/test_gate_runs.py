"""Runs of training from one state (python/flatout/hooks/knobs/gate_runs.py): alike to the bit, and nothing of them is left."""

import json
import subprocess
import sys

import pytest
from driven import FAILED, MEASURED, Driven
from planned import PROGRAMS

PROGRAM = PROGRAMS / "from_one_state.py"
WORKERS, FUSED, BF16 = "dataloader.num_workers", "optimizer.fused", "precision.bf16"
STEPS = 12


def driven(folder, **choices):
    return Driven(folder / "driven", PROGRAM, json.dumps(choices))


def printed(text):
    return [json.loads(line) for line in text.splitlines() if line[:1].isdigit()]


def position(losses, wanted, behind=0):
    return next((at for at in range(behind, len(losses)) if losses[at : at + len(wanted)] == wanted), None)


def bare(steps, **choices):
    """The losses of as many steps without flatout."""
    with subprocess.Popen([sys.executable, PROGRAM, json.dumps(choices)], cwd=PROGRAM.parents[2], env=None, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(steps)]
        process.kill()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("optimizer", ["AdamW", "SGD", "Adagrad"])
@pytest.mark.parametrize("batches", ["same", "fresh"])
def test_nothing_of_the_runs_is_left(tmp_path, optimizer, batches):
    """Losses after them are those of a program that was never asked, with dropout, batch norm and a schedule."""
    with driven(tmp_path, optimizer=optimizer) as program:
        program.block({}, steps=5, settle=0)
        runs = [program.run_from_state(knobs, batches == "same", STEPS) for knobs in ({}, {}, {FUSED: True}, {})]
        assert [run.end for run in runs] == [MEASURED] * 4
        program.block({}, steps=50, settle=0)
        _status, said = program.end()
    losses = printed(said)
    first = runs[0].outcomes["training"]["losses"]
    begin = position(losses, first)
    undisturbed = bare(begin + 50, optimizer=optimizer)
    assert losses[:begin] + first == undisturbed[: begin + STEPS]
    if batches == "same":  # the generators were put back, too
        # Steps between the last run and the taking of the block are thrown away with it.
        assert position(losses, undisturbed[begin:], behind=begin + 4 * STEPS) is not None


def test_the_same_batches_come_to_each_run_and_losses_are_the_same_to_the_bit(tmp_path):
    with driven(tmp_path, loader=True) as program:
        program.block({}, steps=5)
        runs = [program.run_from_state(knobs).outcomes for knobs in ({}, {}, {FUSED: True}, {BF16: True}, {WORKERS: 2}, {})]
    training = [run["training"] for run in runs]
    assert all(len(one["losses"]) == STEPS for one in training)
    first, second, fused, half, workers, last = training
    assert first["losses"] == second["losses"] == workers["losses"] == last["losses"]
    assert last["moved"] == {"cosine": 1.0, "ratio": 1.0, "least": 1.0, "most": 1.0}
    assert fused["losses"] == pytest.approx(first["losses"], rel=1e-3) and fused["moved"]["cosine"] > 0.999
    assert runs[3][BF16]["applied"] and half["losses"] != first["losses"] and half["losses"] == pytest.approx(first["losses"], rel=0.05)


def test_each_run_has_batches_of_its_own_where_they_are_asked_for(tmp_path):
    with driven(tmp_path, loader=True) as program:
        program.block({}, steps=5)
        runs = [program.run_from_state(knobs, same_batches=False).outcomes["training"] for knobs in ({}, {WORKERS: 2}, {}, {WORKERS: 2})]
    assert len({tuple(run["losses"]) for run in runs}) == 4
    means = [sum(run["losses"]) / STEPS for run in runs]
    assert max(means) - min(means) < 0.3


def test_objects_that_the_collector_does_not_see_are_found(tmp_path):
    with driven(tmp_path, hidden=True) as program:
        program.block({}, steps=5)
        runs = [program.run_from_state({}).outcomes["training"]["losses"] for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]


def test_what_cannot_be_put_back_is_refused_by_name_and_the_program_goes_on(tmp_path):
    with driven(tmp_path, kind="odd") as program:
        program.block({}, steps=5)
        refused = program.run_from_state({})
        assert refused.end == FAILED and "Odd" in refused.text
        assert program.block({}, steps=5).end == MEASURED
        assert program.end()[0] == 0
