"""What tools/programs_of_others.py says of a program's output, files and steps."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from others import compare, page, programs, running  # noqa: E402

BAR = "\r 10%|#   | 6/60 [00:01<00:10, 5.0it/s]\r100%|####| 60/60 [00:11<00:00, 5.3it/s]\n"


@pytest.mark.parametrize(
    "one, two, other, same",
    [
        ("loss 0.25\n", "loss 0.25\n", "loss 0.25\n", True),
        ("loss 0.25\n", "loss 0.25\n", "loss 0.26\n", False),
        ("loss 0.25 in 3.1 s\n", "loss 0.25 in 3.4 s\n", "loss 0.25 in 9.9 s\n", True),
        ("loss 0.25 in 3.1 s\n", "loss 0.25 in 3.4 s\n", "loss 0.26 in 9.9 s\n", False),
        ("a\nb\n", "a\nb\n", "a\nb\nc\n", False),
        ("a\nb\n", "a\nb\n", "a\n", False),
        ("a\n", "a\n", BAR + "a\n", True),
        ("tick 1\ntick 2\ndone\n", "tick 1\ndone\n", "tick 7\ntick 9\ndone\n", True),
        ("tick 1\ntick 2\ndone\n", "tick 1\ndone\n", "tick 7\nwarning\ndone\n", False),
        ("t 0.1\nt 0.2\n", "t 0.3\nt 0.2\n", "t 0.4\nt 0.5\n", True),
        ("rate =  9.5\n", "rate =  9.7\n", "rate = 10.5\n", True),
        ("08:57:30 begins\n", "08:57:30 begins\n", "09:01:02 begins\n", True),
        ("picked xq\n", "picked vb\n", "picked xq\n", True),
        ("picked one\n", "picked two words\n", "Error 7\n", False),
    ],
)
def test_only_what_bare_runs_vary_may_differ(one, two, other, same):
    assert compare.compare(one, two, other).same is same


def test_the_first_line_that_differs_is_named():
    found = compare.compare("a\nb 1\n", "a\nb 1\n", "a\nb 2\n")
    assert found.first == ("b 1", "b 2")


@pytest.mark.parametrize(
    "one, two, other, same",
    [
        ({"a": "1"}, {"a": "1"}, {"a": "1"}, True),
        ({"a": "1"}, {"a": "1"}, {"a": "2"}, False),
        ({"a": "1"}, {"a": "2"}, {"a": "3"}, True),
        ({"a": "1"}, {"a": "1"}, {}, False),
        ({"a": "1"}, {"a": "1"}, {"a": "1", "core.7": "2"}, False),
        ({"events.170.41": "1"}, {"events.171.42": "2"}, {"events.188.50": "3"}, True),
    ],
)
def test_files(one, two, other, same):
    assert compare.compare_files(one, two, other).same is same


@pytest.mark.parametrize(
    "name, text, steps",
    [
        ("imagenet", "Epoch: [0][ 1/42]\tTime 1.0\nEpoch: [0][ 2/42]\tTime 1.0\nTest: [1/7]\n", 2),
        ("nanogpt", "step 0: train loss 4.2\niter 0: loss 4.2\niter 1: loss 4.1\n", 2),
        ("lightning", "Epoch 0: 100%|##| 499/500 [\rEpoch 0: 100%|##| 500/500 [00:04<", 500),
        ("accelerate", "epoch 0: {}\n", None),
    ],
)
def test_steps_as_the_program_prints_them(name, text, steps):
    assert programs.BY_NAME[name].printed_steps(text) == steps


def test_time_of_a_step_is_by_the_programs_own_lines_behind_its_warm_up():
    stamps = [(5.0 + (10 if n < 3 else 0.5 * n), f"iter {n}: loss 1") for n in range(9)]
    ran = running.Ran(0, 60.0, "", "", stamps, {})
    assert running.step_s(programs.BY_NAME["nanogpt"], ran, 3) == pytest.approx(0.5)
    assert running.step_s(programs.BY_NAME["accelerate"], ran, 3) is None


def test_an_advice_is_words_of_the_command():
    program = programs.Program("x", programs.KERAS, {}, ("main.py", "-j", "4"), environment={"A": "1"})
    words, environment = program.changed({"replace": {"4": "2"}, "add": ["--fast"], "environment": {"B": "2"}})
    assert words == ["main.py", "-j", "2", "--fast"]
    assert environment == {"A": "1", "B": "2"}


def test_tune_gets_the_program_without_its_seed():
    assert programs.without_seed(("main.py", "--seed", "1", "-j", "4")) == ["main.py", "-j", "4"]


def test_the_table_says_what_was_not_measured():
    row = page.row("dcgan", {"check": {"failed": "no torchvision"}})
    assert row == "| dcgan | failed: no torchvision | | | | | |"
