"""flatout search and tune with --launcher slurm, on a Slurm of one node."""

import json
import os
import signal
import subprocess
import sys
import time

import harness
import pytest
import slurm as one_node

pytestmark = pytest.mark.slow

SPACE = """
[search]
trials = 3
steps = [16]
[arguments]
"--wait-us" = {values = [8000, 1000]}
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    reason = one_node.why_not()
    if reason:
        pytest.skip(reason)
    cluster = one_node.Slurm(tmp_path_factory.mktemp("slurm"))
    reason = cluster.start()
    if not reason:
        yield cluster
    cluster.stop()
    if reason:
        pytest.skip(reason)


def wait_for(what, patience_s=30):
    end = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_each_trial_is_a_task_of_slurm(search, loop, slurm):
    search.extra = slurm.env
    document = search(SPACE, [loop, "--wait-us=8000"], "--launcher", "slurm", "--slurm", "--partition=short --mem=0",
                      "--slots", 2)
    assert document["launcher"] == "slurm" and document["slots"] == 2
    best = document["points"][document["best"] - 1]
    assert best["arguments"] == {"--wait-us": 1000} and document["final"]["confirmed"]
    # The probe, the program as it is, two points, six runs to confirm: all went through Slurm.
    assert slurm.logs().count("_job_complete: JobId=") >= 2 * 10 - 1
    runs = {run["id"]: run for run in search.runs()}
    assert len(runs) == 9 and all(run["state"] == "finished" for run in runs.values())
    assert not search.leftovers() and not list(search.folder.iterdir())


def test_what_slurm_refuses_is_said(search, loop, slurm):
    search.extra = slurm.env
    assert search(SPACE, [loop], "--launcher", "slurm", "--slurm", "--partition=none", code=1) is None
    assert "a first look with the launcher failed: it ended early" in search.err and "nvalid partition" in search.err
    assert not search.leftovers() and not search.json.exists()


def test_ctrl_c_cancels_the_step(search, loop, slurm):
    search.extra = slurm.env
    space = '[search]\ntrials = 9\nsteps = [16]\n[arguments]\n"--hang" = {values = [1]}\n'
    process = subprocess.Popen(search.words(space, [loop], "--launcher", "slurm"), env=search.env(), cwd=search.folder,
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "as it is" in line:
            break
    wait_for(lambda: hanging())
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 128 + signal.SIGINT
    process.stdout.close()
    wait_for(lambda: not slurm.said("squeue", "--noheader").strip())
    assert not hanging()
    assert search.document()["interrupted"] is True and not search.leftovers()


def hanging():
    """Pids of programs that were started with --hang=1."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"--hang=1" in words and b"search" not in words:
            found.append(entry)
    return found


def test_tune_goes_the_same_way(search, slurm):
    """On PyTorch, with a knob that is tried once and a budget that ends it then."""
    program = search.folder / "train.py"
    program.write_bytes((harness.ROOT / "tests/tune/programs/train.py").read_bytes())
    result = search.folder.parent / "tune.json"
    words = [harness.flatout_bin(), "tune", "--launcher", "slurm", "--slurm", "--mem=0", "--steps", 24, "--knobs",
             "num_workers", "--budget", "1s", "--json", result, "--", sys.executable, program, "--compute-ms", 1]
    search.extra = slurm.env
    before = slurm.logs().count("_job_complete: JobId=")
    done = subprocess.run([str(word) for word in words], env=search.env(), cwd=search.folder, capture_output=True,
                          text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(result.read_text())
    assert len(document["baseline"]["runs"]) == 2 and document["baseline"]["samples_per_s"] > 0
    assert "on the nodes of Slurm" in done.stdout
    assert slurm.logs().count("_job_complete: JobId=") - before >= 2 * 4 - 1  # the probe and three trials
    assert [entry.name for entry in search.folder.iterdir()] == ["train.py"]
