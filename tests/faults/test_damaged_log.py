"""Logs that are cut short or have a flipped bit: an answer or an error, never a crash.

Through the command line, so that the whole path from file to page is in it; the
log reader alone is fuzzed in C++.
"""

import json
import random
import shutil
import subprocess

import harness
import pytest
from scene import python

CUTS = 24
FLIPS = 40


@pytest.fixture(scope="module")
def recorded(flatout, tmp_path_factory):
    """(runs folder, run id, report) of one small run."""
    folder = tmp_path_factory.mktemp("recorded")
    log_kept = harness.environment(FLATOUT_SEAL="off")
    outcome = harness.run_observed(python("steps.py", folder / "announced", 60), folder, env=log_kept)
    assert outcome.code == 0, outcome.err
    return folder / "home", outcome.report["run"]["id"], outcome.report


def read_damaged(recorded, tmp_path, change):
    """Exit code, stdout and stderr of `report` and of `ls` after `change(bytes)`."""
    home, run, _ = recorded
    copy = tmp_path / "home"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(home, copy)
    log = copy / "runs" / run / "log.flo"
    log.write_bytes(change(bytearray(log.read_bytes())))
    outcomes = []
    for arguments in (["report", run, "--format", "json"], ["report", run], ["ls"]):
        outcomes.append(
            subprocess.run(
                [harness.flatout_bin(), *arguments],
                env=harness.environment(FLATOUT_HOME=copy, FLATOUT_SEAL="off"),
                capture_output=True,
                timeout=30,
            )
        )
    return outcomes


def assert_answer_or_error(outcomes, what):
    for done in outcomes:
        assert done.returncode >= 0, f"{what}: died by signal {-done.returncode}: {done.stderr}"
        if done.returncode != 0:
            assert done.stderr.startswith(b"flatout"), f"{what}: {done.stderr}"
            assert done.returncode < 126, f"{what}: {done.returncode}"
    as_json = outcomes[0]
    if as_json.returncode == 0:
        return json.loads(as_json.stdout)
    return None


def test_undamaged_copy_gives_the_same_report(recorded, tmp_path):
    report = assert_answer_or_error(read_damaged(recorded, tmp_path, bytes), "as it was")
    assert report["steps"] == recorded[2]["steps"]
    assert report["verdict"] == recorded[2]["verdict"]


def test_truncated(recorded, tmp_path):
    draws = random.Random(1)
    counts = []
    for cut in sorted(draws.random() for _ in range(CUTS)):
        outcomes = read_damaged(recorded, tmp_path, lambda log: log[: int(len(log) * cut)])
        report = assert_answer_or_error(outcomes, f"cut at {cut:.3f}")
        counts.append((report or {}).get("steps", {}).get("count", 0) if report else 0)
    assert counts == sorted(counts), "a longer log must not tell of fewer steps"
    assert counts[-1] <= recorded[2]["steps"]["count"]


def test_empty_and_garbage(recorded, tmp_path):
    draws = random.Random(2)
    for what, data in {
        "empty": b"",
        "one byte": b"F",
        "zeros": bytes(8192),
        "noise": draws.randbytes(8192),
    }.items():
        outcomes = read_damaged(recorded, tmp_path, lambda _, data=data: data)
        assert_answer_or_error(outcomes, what)
        assert outcomes[0].returncode != 0, f"{what}: a report was made of nothing"


def test_bit_flips(recorded, tmp_path):
    draws = random.Random(3)
    unnoticed = []
    for number in range(FLIPS):

        def flip(log):
            # Half of them near the start, where headers are.
            end = len(log) if number % 2 else min(len(log), 512)
            log[draws.randrange(end)] ^= 1 << draws.randrange(8)
            return log

        report = assert_answer_or_error(read_damaged(recorded, tmp_path, flip), f"flip {number}")
        if report and report["steps"] == recorded[2]["steps"] and not report.get("notes"):
            unnoticed.append(number)
    # A flip in what no step depends on may leave the steps as they are, but a
    # reader without checksums would let almost all of them pass.
    assert len(unnoticed) <= FLIPS // 2, f"unnoticed: {unnoticed}"
