"""Settings that are switched inside the training that counts (continued.py): whatever is switched, the training is the same to the bit."""

import json
import random
import subprocess
import sys

import pytest
from driven import MEASURED, Driven
from hooked import environment
from planned import PROGRAMS

PROGRAM = PROGRAMS / "continued.py"
WORKERS, PREFETCH, PERSISTENT = "dataloader.num_workers", "dataloader.prefetch_factor", "dataloader.persistent_workers"
SETTINGS = [{}, {WORKERS: 1}, {WORKERS: 2}, {WORKERS: 3}, {WORKERS: 2, PREFETCH: 4}, {WORKERS: 2, PREFETCH: 1}, {WORKERS: 0}]


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line[:1] in "[\""]


WITHIN = {"FLATOUT_TRIAL": 0, "FLATOUT_STOP_AFTER": "", "FLATOUT_CONTROL_WITHIN": 1}


def bare(tmp_path, **choices):
    done = subprocess.run([sys.executable, PROGRAM, json.dumps(choices)], capture_output=True, text=True, env=environment(tmp_path))
    return lines(done.stdout), done


def switched(tmp_path, schedule, **choices):
    """The lines that it prints while it is switched along the schedule, [(settings, steps of the block, steps before)], and the answers of the blocks."""
    with Driven(tmp_path / "driven", PROGRAM, json.dumps(choices), **WITHIN) as program:
        blocks = []
        for settings, steps, settle in schedule:
            blocks.append(program.block(settings, steps=steps, settle=settle, with_epochs=1))
            program.rest()
        assert all(block.end == MEASURED for block in blocks), [block.text for block in blocks]
        program.stays(schedule[-1][0] if schedule else {})
        said = program.output.read_text()
        assert "Warning" not in said and "Error" not in said, said
        return lines(said), blocks


CASES = [
    {},
    {"generator": True},
    {"workers": 2},
    {"workers": 2, "persistent": True},
    {"sampler": "batches"},
    {"sampler": "weighted", "workers": 1},
]


@pytest.mark.parametrize("choices", CASES, ids=lambda choices: "-".join(f"{key}={value}" for key, value in choices.items()) or "plain")
def test_the_training_is_the_same_to_the_bit_whatever_is_switched(tmp_path, choices):
    draw = random.Random(json.dumps(choices))
    schedule = [(draw.choice(SETTINGS), draw.randint(1, 8), draw.randint(0, 3)) for _ in range(24)]
    choices = {"steps": 85, "epochs": 4, **choices}
    saw, blocks = switched(tmp_path, schedule, **choices)
    wanted, _done = bare(tmp_path, **choices)
    assert saw == wanted
    assert any(block.outcomes.get(WORKERS, {}).get("applied") for block in blocks), [block.text for block in blocks]


def test_it_goes_back_and_forth_at_each_step(tmp_path):
    """Before what an iterator has begun is handed over, it draws again, and a third one as well."""
    schedule = [(settings, 1, 0) for _ in range(8) for settings in ({WORKERS: 2}, {WORKERS: 3}, {}, {WORKERS: 3})]
    saw, _blocks = switched(tmp_path, schedule, steps=120, epochs=2)
    assert saw == bare(tmp_path, steps=120, epochs=2)[0]


def test_a_sampler_that_draws_as_it_goes_keeps_its_iterator(tmp_path):
    saw, blocks = switched(tmp_path, [({}, 8, 3), ({WORKERS: 2}, 4, 0), ({}, 4, 0)], sampler="drawing")
    assert saw == bare(tmp_path, sampler="drawing")[0]
    outcome = blocks[1].outcomes[WORKERS]
    assert not outcome["applied"] and "draws random numbers" in outcome["reason"]


def test_an_error_of_the_dataset_comes_at_its_sample(tmp_path):
    choices = {"error_at": 200, "epochs": 1}
    wanted, failed = bare(tmp_path, **choices)
    assert failed.returncode == 1 and 0 < len(wanted) < 60
    with Driven(tmp_path / "driven", PROGRAM, json.dumps(choices), **WITHIN) as program:
        program.block({WORKERS: 2}, steps=2, settle=2)
        program._ask(4)
        assert program.process.wait(timeout=60) == 1
        said = program.output.read_text()
    assert lines(said) == wanted and "KeyError" in said


def test_no_worker_is_left_once_nothing_is_switched_any_more(tmp_path):
    """Iterators that stand by end at once, not with the epoch."""
    with Driven(tmp_path / "driven", PROGRAM, json.dumps({"steps": 4000, "epochs": 1}), **WITHIN) as program:
        for settings in ({WORKERS: 2}, {WORKERS: 3}, {}):
            program.block(settings, steps=20, settle=10)
        program._ask(1, 0, 30, b"{}", training=4, with_epochs=1)
        program._wait()
        children = subprocess.run(["ps", "--ppid", str(program.process.pid), "-o", "args="], capture_output=True, text=True).stdout
    assert "continued.py" not in children
