"""A plan is held to what is declared of its knobs before the program starts."""

import json
import sys

import harness
import pytest

WRONG = [
    ('dataloader.num_workers = "six"', 'dataloader.num_workers = "six": its value must be a whole number from 0 to 1024'),
    ("dataloader.num_workers = 4096", "dataloader.num_workers = 4096: its value must be a whole number from 0 to 1024"),
    ("precision.bf16 = false", "precision.bf16 = false: its value must be true"),
    ('compile.mode = "defualt"', '"default" or "reduce-overhead"; did you mean "default"?'),
    ('batch.accumulate = "1/1"', 'or "1/2", "1/3", ... to join'),
]


def run(tmp_path, plan):
    """`flatout run --plan` of a program that leaves a file: (exit status, what flatout said, whether it ran)."""
    (tmp_path / "plan.toml").write_text(plan)
    ran = tmp_path / "ran"
    command = [harness.flatout_bin(), "run", "--no-hooks", "--plan", tmp_path / "plan.toml", "--",
               sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", ran]  # fmt: skip
    done = harness.run_plain(command, env=harness.environment(FLATOUT_HOME=tmp_path / "home"))
    return done.code, done.err.decode(), ran.exists()


@pytest.mark.parametrize("line,words", WRONG)
def test_a_value_that_a_knob_does_not_take_ends_it_with_the_line(tmp_path, line, words):
    code, said, ran = run(tmp_path, "[knobs]\nlayout.channels_last = true\n" + line + "\n")
    assert (code, ran) == (2, False)
    assert "plan.toml, line 3: " in said and words in said and said.count("\n") == 1


@pytest.mark.parametrize("typed,meant", [("dataloader.num_worker", "dataloader.num_workers"), ("num_workers", "dataloader.num_workers"), ("no.such", None)])
def test_a_name_that_no_knob_has_is_said_with_the_nearest_one_and_the_program_runs(tmp_path, typed, meant):
    code, said, ran = run(tmp_path, f"[knobs]\n{typed} = 4\n")
    assert (code, ran) == (0, True)
    ending = f"; did you mean {meant}?" if meant else ""
    assert f"the plan's knob {typed} is not applied: this version knows no such knob{ending}\n" in said


UNPROVED = "[knobs]\nlayout.channels_last = true\n[unproved]\nprecision.bf16 = true\n"
NOT_APPLIED = "not applied: precision.bf16, faster, but not proved to train the same; --accept-unproved applies it\n"


def test_what_is_not_proved_is_not_applied_unasked(tmp_path):
    code, said, ran = run(tmp_path, UNPROVED)
    assert (code, ran) == (0, True) and NOT_APPLIED in said


def test_what_is_not_proved_is_applied_on_request(tmp_path):
    saw = tmp_path / "saw.json"
    program = f"import json, os, pathlib; pathlib.Path({str(saw)!r}).write_text(os.environ['FLATOUT_PLAN'])"
    (tmp_path / "plan.toml").write_text(UNPROVED)
    for options, applied in [([], False), (["--accept-unproved"], True)]:
        command = [harness.flatout_bin(), "run", *options, "--plan", tmp_path / "plan.toml", "--", sys.executable, "-c", program]
        done = harness.run_plain(command, env=harness.environment(FLATOUT_HOME=tmp_path / "home"))
        assert done.code == 0 and (NOT_APPLIED in done.err.decode()) is not applied
        assert ("precision.bf16" in json.loads(saw.read_text())) is applied
