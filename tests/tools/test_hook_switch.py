"""`make bench` takes the hooks out and puts them back in one process: they are out, and then in."""

import json
from pathlib import Path

import harness

PROGRAM = Path(__file__).resolve().parents[2] / "bench" / "fixed_step.py"


def test_steps_are_seen_only_while_the_hooks_are_in(tmp_path):
    """21 steps of warm-up, then 40 in turns of 10, in and out, as fixed_step.py counts them."""
    done = harness.run_observed([harness.PYTHON, PROGRAM, 100, 40, tmp_path / "steps.json", 10], tmp_path / "flatout")
    assert done.code == 0, done.err.decode()
    hooked = json.loads((tmp_path / "steps.json").read_text())["hooked"]
    assert (hooked.count(True), len(hooked)) == (20, 40)
    assert abs(done.report["steps"]["count"] - (21 + 20)) <= 2


def test_without_flatout_nothing_is_measured(tmp_path):
    done = harness.run_plain([harness.PYTHON, PROGRAM, 100, 40, tmp_path / "steps.json", 10])
    assert done.code == 1 and b"is this run observed?" in done.err
