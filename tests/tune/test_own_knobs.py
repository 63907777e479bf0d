"""Knobs of the user and of the program: a C++ loop, tuned from the command line."""

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "capi"))
import build
from trials import interrupt_after, rows_of

PROGRAMS = Path(__file__).resolve().parent / "programs"


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    return build.program(PROGRAMS / "readers.cc", tmp_path_factory.mktemp("built"))


@pytest.fixture
def program(tune, readers):
    """The command of readers.cc, in tune's folder."""
    shutil.copy(readers, tune.folder / "readers")
    return lambda *words: ["./readers", *map(str, words)]


def the_row(document, knob):
    (row,) = [row for row in document["trials"] if row["knob"] == knob]
    return row


@pytest.fixture
def tuned(tune):
    """A tune in which the knob's gain was seen: where other programs take the cores, trials of a second hide it."""

    def run(knob, command, *options):
        for _ in range(3):
            document = tune(command, "--steps", 60, *options)
            row = the_row(document, knob)
            if row.get("speedup", 0) > 1.5 and row["reason"] not in ("below the noise", "no gain shown"):
                break
        return document, row

    return run


def test_an_argument_is_tuned_and_the_plan_sets_it_again(tune, tuned, program):
    command = program("--workers", 1, "--log")
    document, row = tuned("user.workers", command, "--knob", "workers=--workers={0..12}")
    # A thread fetches a sample in 1.5 ms, and a step of 2 ms wants 8: 6 are needed, and more do no harm.
    assert row["from"] == 1 and 4 <= row["to"] <= 12, tune.out
    assert row["kept"] and row["loss_gate"] == "passed" and row["interval"][0] > 1.5, tune.out
    assert document["final"]["confirmed"]
    workers = row["to"]
    assert document["knobs"] == {"user.workers": workers}
    (note,) = [note for note in document["notes"] if "was screened by single trials" in note]
    listed = {run["id"]: run for run in json.loads(tune.flatout("ls", "--format", "json").stdout)["runs"]}
    screened = [run for run in listed if f"({run})" in note]
    assert len(screened) >= 3 and not set(screened) & set(row["runs"])
    assert all(listed[run]["parent"] == document["id"] for run in screened)
    assert f"+ workers 1 -> {workers}" in tune.out
    assert 'argument = "--workers={}"' in tune.plan.read_text()
    by_hand = tune.flatout("tune", "--explain", tune.plan).stdout
    assert f"user.workers = {workers} (was 1)" in by_hand and f"command line:       --workers={workers}" in by_hand
    # Both forms of the argument, and a command that has it not.
    for given, expected in (
        (["--workers", "1"], ["--workers", str(workers)]),
        (["--workers=1"], [f"--workers={workers}"]),
        ([], [f"--workers={workers}"]),
    ):
        again = tune.flatout("run", "--plan", tune.plan, "--stop-after", 30, "--json", "r.json", "--", *program(*given))
        report = json.loads((tune.folder / "r.json").read_text())
        assert report["run"]["command"] == ["./readers", *expected], again.stderr
        (said,) = report["plan"]
        assert said["knob"] == "user.workers" and said["value"] == workers and said["applied"], said
    off = tune.flatout("run", "--no-hooks", "--plan", tune.plan, "--", "echo", "as it is")
    assert off.stdout == "as it is\n" and "the plan is not applied: --no-hooks" in off.stderr


def test_a_declared_variable_is_found_without_any_option(tune, tuned, program):
    document, row = tuned("program.workers", program("--workers", 1, "--declare", "--log"))
    assert row["from"] == 1 and 4 <= row["to"] <= 12 and row["kept"], tune.out
    assert f"program.workers = {row['to']}" in tune.plan.read_text()
    assert f'flatout_knob_int("workers", {row["to"]}, ...)' in tune.flatout("tune", "--explain", tune.plan).stdout
    command = program("--workers", 1, "--declare")
    tune.flatout("run", "--plan", tune.plan, "--stop-after", 30, "--json", "r.json", "--", *command)
    (said,) = json.loads((tune.folder / "r.json").read_text())["plan"]
    assert said["applied"] and said["from"] == 1 and said["value"] == row["to"]
    tune.plan.write_text("[knobs]\nprogram.workers = 99\n")
    done = tune.flatout("run", "--plan", tune.plan, "--stop-after", 30, "--json", "r.json", "--", *command)
    (said,) = json.loads((tune.folder / "r.json").read_text())["plan"]
    assert not said["applied"] and said["reason"] == "the program allows 0 to 12", done.stderr


def test_the_environment_and_losses_that_are_printed(tune, tuned, program):
    options = ("--knob", "readers=env:READERS={1,6}", "--loss", r"loss=([0-9.]+)")
    document, row = tuned("user.readers", program("--workers", 1, "--print"), *options)
    assert "from" not in row and row["to"] == 6 and row["kept"] and row["loss_gate"] == "passed", tune.out
    assert 'environment = "READERS={}"' in tune.plan.read_text()
    assert "environment:        READERS=6" in tune.flatout("tune", "--explain", tune.plan).stdout
    tune.flatout("run", "--plan", tune.plan, "--stop-after", 30, "--json", "r.json", "--", *program())
    (said,) = json.loads((tune.folder / "r.json").read_text())["plan"]
    assert said["applied"] and said["value"] == 6


def test_losses_that_were_printed_are_taken_over_by_a_resumed_tune(tune, program):
    options = ("--steps", 40, "--knob", "workers=--workers={1,6}", "--loss", r"loss=([0-9.]+)")
    out = interrupt_after(tune, program("--print"), "+ ", *options)
    before = json.loads(tune.json.read_text())
    journal = tune.home / "runs" / before["id"] / "tune.journal"
    made = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    assert all(len(trial["losses"]) >= trial["steps"] - 1 for trial in made) and len(made) >= 4
    after = tune(program("--print"), "--resume")
    assert f"resume: {len(made)} trials taken over" in tune.out, tune.out
    assert after["trials"][0] == before["trials"][0] and rows_of(tune.out)[: len(rows_of(out))] == rows_of(out)


def test_a_value_that_harms_the_loss_is_refused(tune, tuned, program):
    command = program("--log", "--harm-above", 1)
    document, row = tuned("user.workers", command, "--knob", "workers=--workers={0,6}")
    assert not row["kept"] and row["loss_gate"] == "failed" and "loss moves" in row["reason"], tune.out
    assert not tune.plan.exists()


def test_a_value_that_fails_is_passed_by_and_unseen_losses_are_said(tune, tuned, program):
    command = program("--workers=1", "--fail-above", 4)
    document, row = tuned("user.workers", command, "--knob", "workers=--workers={1,4,8}")
    assert row["to"] == 4 and row["kept"] and row["loss_gate"] == "not_needed", tune.out
    notes = " ".join(document["notes"])
    assert "8 failed: exit status 3 (no room for 8 workers)" in notes
    assert "no losses were seen" in notes and "flatout_log" in notes


@pytest.mark.beside
def test_mistakes_are_said_before_anything_runs(tune, program):
    for options, words in (
        (("--knob", "workers"), "write NAME=ARGUMENT"),
        (("--knob", "workers=--workers=4"), "one pair of braces"),
        (("--knob", "num_workers=--workers={1,2}"), "dataloader.num_workers"),
        (("--knob", "w=-w{1,2}", "--knob", "w=-v{1,2}"), "two of that name"),
        (("--knob", "w=-w{1,2}", "--knobs", "v"), "there is no knob 'v'; the knobs are"),
        (("--loss", "loss"), "one group"),
    ):
        assert tune(program(), *options, code=2) is None
        assert words in tune.err
    assert not (tune.home / "runs").exists() or not list((tune.home / "runs").iterdir())


@pytest.mark.beside
def test_a_program_without_steps_is_told_how_to_say_them(tune):
    assert tune(["sleep", "0.3"], "--knob", "s=--s={1,2}", code=1) is None
    assert "flatout_step_end" in tune.err and "docs/c-programs.md" in tune.err, tune.err
