"""flatout search on a small C program, from the command line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import harness
import pytest

SPEED = """
[search]
trials = 9
steps = [20, 40]
[arguments]
"--wait-us" = {values = [8000, 2000, 32000, 16000]}
[environment]
SHARE = {values = [1, 4]}
"""


def value(point):
    return [result["value"] for result in point["results"] if "value" in result]


def test_the_fastest_point_is_found_confirmed_and_its_command_works(search, loop):
    document = search(SPEED, [loop, "--wait-us", 16000])
    assert document["objective"] == "samples_per_s" and document["launcher"] == "local"
    assert len(document["points"]) == 8  # all that there are
    best = next(point for point in document["points"] if point["number"] == document["best"])
    assert best["arguments"] == {"--wait-us": 2000} and best["environment"] == {"SHARE": 4}
    assert [result["steps"] for result in best["results"]] == [20, 40]
    final = document["final"]
    assert final["confirmed"] and final["interval"][0] > 1 and final["speedup"] > 3
    assert len(final["values"]) == len(final["baseline_values"]) == 3 and len(final["runs"]) == 6
    assert document["command"] == f"SHARE=4 {loop} --wait-us 2000"  # in its own form
    assert document["command"] in search.out and "confirmed: #" in search.out
    # Nothing is left of what the trials wrote.
    assert not list(search.folder.iterdir()) and "seen.txt" in search.out
    # Each trial is a run, below the first and named by its point.
    runs = {run["id"]: run for run in search.runs()}
    assert runs[document["id"]]["name"] == "as it is"
    ids = {result["run"] for point in document["points"] for result in point["results"]} | set(final["runs"])
    assert {run["id"] for run in runs.values() if run.get("parent") == document["id"]} == ids
    assert runs[best["results"][0]["run"]]["name"] == f"#{best['number']} --wait-us=2000 SHARE=4"
    # Only a third went on, and they were the best.
    higher = [point for point in document["points"] if len(point["results"]) > 1]
    assert 2 <= len(higher) <= 4


def test_a_logged_value_slots_and_points_that_fail(search, loop, cpus):
    slots = min(2, cpus)
    space = """
[search]
objective = "log:loss"
trials = 12
seed = 4
steps = [16, 32]
[arguments]
"--lr" = {from = 1e-4, to = 1, scale = "log"}
"--fail" = {values = [0, 1]}
"""
    document = search(space, [loop, "--wait-us=1000"], "--slots", slots, "--in-place")
    assert document["direction"] == "min" and document["slots"] == slots
    failed = [point for point in document["points"] if point["arguments"]["--fail"] == 1]
    sound = [point for point in document["points"] if point["arguments"]["--fail"] == 0]
    assert failed and sound
    for point in failed:
        assert len(point["results"]) == 1 and "there is no data" in point["results"][0]["failure"]
    assert "exit status 7 (there is no data)" in search.out
    best = min(sound, key=lambda point: value(point)[0])
    assert document["best"] == best["number"]
    assert document["final"]["confirmed"] and document["final"]["difference"] < 0
    # In place: each trial wrote into the folder itself.
    written = (search.folder / "seen.txt").read_text()
    assert written.count("--fail=1") == len(failed)
    again = search(space, [loop, "--wait-us=1000"], "--slots", slots)
    assert [p["arguments"] for p in again["points"]] == [p["arguments"] for p in document["points"]]


def interrupted_at(search, words, command):
    """The document of a search that gets Ctrl-C once it prints `words`."""
    process = subprocess.Popen(command, env=search.env(), cwd=search.folder, stdout=subprocess.PIPE, text=True)
    search.out = ""
    for line in process.stdout:
        search.out += line
        if words in line:
            break
    process.send_signal(signal.SIGINT)
    search.out += process.stdout.read()
    assert process.wait(timeout=60) == 128 + signal.SIGINT
    document = search.document()
    assert document["interrupted"] is True and "final" not in document
    assert "interrupted" in search.out
    return document


@pytest.mark.beside
def test_an_interrupted_search_goes_on(search, loop):
    space = '[search]\ntrials = 9\nseed = 2\nsteps = [16, 32]\n[arguments]\n"--wait-us" = {from = 100, to = 4000}\n'
    command = [loop, "--wait-us", 3000]
    before = interrupted_at(search, " #", search.words(space, command))
    assert f"flatout search --resume {search.space} -- {loop} --wait-us 3000" in search.out
    made = {result["run"] for point in before["points"] for result in point["results"]} | {before["id"]}
    stored = {run["id"] for run in search.runs()}
    # Another space or command is another search, and a wrong word makes no trial.
    search(space.replace("seed = 2", "seed = 3"), command, "--resume", code=1)
    assert "no unfinished search of this command and space" in search.err
    search(space, [loop, "--wait-us", 2000], "--resume", code=1)
    assert {run["id"] for run in search.runs()} == stored
    after = search(space, command, "--resume")
    assert f"resume: search {before['id']}, whose {len(made)} trials are not made again" in search.out
    assert (after["id"], after["baseline"]) == (before["id"], before["baseline"])
    for then, now in zip(before["points"], after["points"], strict=False):
        assert now["arguments"] == then["arguments"]
        assert now["results"][: len(then["results"])] == then["results"]
    assert len(after["points"]) == 9 and len(after["final"]["runs"]) == 6, search.out
    again = {result["run"] for point in after["points"] for result in point["results"]} | set(after["final"]["runs"])
    family = {run["id"] for run in search.runs() if run.get("parent") == before["id"]}
    assert again <= family and len(again - made) == len({run["id"] for run in search.runs()} - stored)
    search(space, command, "--resume", code=1)
    assert "begin one without --resume" in search.err, "it has come to its end"


@pytest.mark.beside
def test_knobs_become_a_plan(search):
    """On PyTorch; interrupted, so that it is started three times and not nine."""
    program = search.folder / "train.py"
    program.write_bytes((harness.ROOT / "tests/tune/programs/train.py").read_bytes())
    space = '[search]\ntrials = 1\nsteps = [16, 20]\n[knobs]\ndataloader.num_workers = {values = [1]}\n'
    plan = search.folder.parent / "plan.toml"
    command = search.words(space, [sys.executable, program, "--compute-ms", "1"], "--plan", plan)
    document = interrupted_at(search, "#1 ", command)
    assert document["points"][0]["knobs"] == {"dataloader.num_workers": 1}
    assert document["plan"] == str(plan) and "dataloader.num_workers = 1" in plan.read_text()
    assert document["command"].startswith(f"flatout run --plan {plan} -- ")
    assert f"flatout run --plan {plan} -- " in search.out  # the rest is quoted for a terminal, which need not know all letters


@pytest.mark.beside
def test_a_knob_that_a_program_does_not_come_to_is_a_failure(search, loop):
    space = '[search]\ntrials = 2\nsteps = [16]\n[knobs]\n"env.intraop_threads" = {values = [1, 2]}\n'
    document = search(space, [loop, "--wait-us=1000"])
    for point in document["points"]:
        assert "env.intraop_threads was not applied" in point["results"][0]["failure"]
    assert "best" not in document and "final" not in document and "command" not in document
    assert "none measured anything" in search.out


@pytest.mark.beside
def test_ctrl_c_ends_it_with_the_best_so_far(search, loop):
    space = '[search]\ntrials = 500\nsteps = [20]\n[arguments]\n"--lr" = {from = 0.1, to = 1}\n"--fail" = {values = [0, 1]}\n'
    interrupted_at(search, "failed", search.words(space, [loop]))
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                assert str(loop) not in (entry / "cmdline").read_text().split("\0")
            except OSError:
                continue


@pytest.mark.beside
def test_what_is_wrong_is_said_before_anything_runs(search, loop, cpus):
    good = '[arguments]\nx = {values = [1, 2]}\n'
    for space, options, code, words in (
        ("[arguments]\nx = {vales = [1]}\n", (), 2, "line 2: x has no 'vales'"),
        (good, ("--budget", "soon"), 2, "write 90s, 10m or 2h"),
        (good, ("--slots", cpus + 1), 2, "need as many CPUs"),
        (good, ("--slurm", "-p x"), 2, "--slurm goes with --launcher slurm only"),
        (good, ("--launcher", "kubernetes"), 2, "--launcher"),
    ):
        search.extra = {"CUDA_VISIBLE_DEVICES": ""}
        assert search(space, [loop], *options, code=code) is None
        assert words in search.err
    search.extra = {"PATH": "/nowhere"}
    assert search(good, [loop], "--launcher", "slurm", code=1) is None
    assert "no srun in PATH" in search.err
    search.extra = {}
    assert search(good, [loop, "--fail=1"], code=1) is None
    assert "there is no data" in search.err and "flatout report" in search.err
    assert search(good, [search.folder / "not there"], code=1) is None
    assert "not there" in search.err


@pytest.mark.beside
@pytest.mark.parametrize("text", ["", "{}", '{"schema":"flatout.trial/1","command":[]}', "[" * 100])
def test_a_file_that_is_no_trial_is_refused(tmp_path, text):
    file = tmp_path / "trial.json"
    file.write_text(text)
    done = subprocess.run([str(harness.flatout_bin()), "trial", str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "is no trial" in done.stderr and not done.stdout
    assert json.dumps(sorted(entry.name for entry in tmp_path.iterdir())) == '["trial.json"]'
