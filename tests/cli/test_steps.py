"""Steps through the whole of flatout: --stop-after, launchers, ranks."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import harness

HERE = Path(__file__).parent
LOOP = HERE.parent / "faults/programs/steps.py"


def observed(cli, *command, options=(), stdin=b""):
    done = cli("run", "--json", "report.json", *options, "--", *command, timeout=180)
    return done, json.loads((cli.folder / "report.json").read_text())


@pytest.mark.parametrize("through_a_shell", [False, True])
def test_stop_after_ends_at_the_close_of_that_step(cli, through_a_shell):
    command = [sys.executable, LOOP, cli.folder / "announced"]
    if through_a_shell:
        command = ["sh", "-c", '"$@"; echo went on', "sh", *command]
    done, report = observed(cli, *command, options=["--stop-after", 25])
    assert report["steps"]["count"] == 25
    assert done.returncode == -signal.SIGINT, done.stderr
    assert report["run"]["state"] == "finished" and report["run"]["signal"] == "SIGINT"
    assert report["run"]["stopped_after"] == 25 and "failure" not in report
    assert b"Traceback" not in done.stderr and b"killed" not in done.stderr
    assert b"KeyboardInterrupt" not in done.stderr, "it was asked for"
    assert b"went on" not in done.stdout, "Ctrl-C would have ended the shell too"
    assert [run["state"] for run in harness.runs(cli.home)] == ["finished"]


def test_stop_after_ends_a_background_job_too(cli):
    # A shell that has no job control lets its background jobs ignore Ctrl-C.
    script = '"$@" & wait $!'
    command = [harness.flatout_bin(), "run", "--quiet", "--json", "report.json", "--stop-after", 25, "--",
               sys.executable, LOOP, cli.folder / "announced"]
    subprocess.run(["sh", "-c", script, "sh", *map(str, command)], cwd=cli.folder, env=cli.env(), timeout=120)
    report = json.loads((cli.folder / "report.json").read_text())
    assert report["steps"]["count"] == 25
    assert report["run"]["state"] == "finished" and report["run"]["signal"] == "SIGTERM"


def test_torchrun_carries_the_hooks_to_its_ranks(cli):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29617"]
    done, report = observed(cli, *command, HERE / "ranks.py", 30)
    assert done.returncode == 0, done.stderr
    assert report["steps"]["count"] == 30
    assert report["steps"]["phases"]["comm"] > 0.5, "rank 0 waits for rank 1"
    assert any("2 processes trained" in note for note in report.get("notes", [])), report.get("notes")
