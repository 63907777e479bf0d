"""A program that fails: its failure comes first in the report, and its output is as without flatout."""

import sys

import pytest

import harness

TRAINING = """
import sys; sys.path.append({tests!r}); import eager, torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.rand(40, 4), batch_size=2)
class Odd(Exception):
    def __str__(self):
        print("asked", file=sys.stderr)
        return "odd"
for step, batch in enumerate(loader):
    if step == 12:
        {end}
    model(batch).sum().backward()
    optimizer.step()
"""


@pytest.fixture
def ending(tmp_path):
    def run(end):
        script = tmp_path / "train.py"
        script.write_text(TRAINING.format(end=end, tests=str(harness.ROOT / "tests")))
        plain = harness.run_plain([sys.executable, script])
        seen = harness.run_observed([sys.executable, script], tmp_path)
        assert (seen.code, seen.out, seen.err) == (plain.code, plain.out, plain.err)
        return seen, script

    return run


def test_an_exception_is_the_verdict(ending):
    seen, script = ending('raise ValueError("no such\\nlabel")')
    assert seen.report["verdict"]["finding"] == "failed"
    assert seen.report["failure"] == {
        "error": "ValueError",
        "message": "no such label",
        "at": f"{script}:12",
        "after_steps": 12,
    }
    assert "FAILED: exit code 1 after" in seen.said and "12 steps: ValueError: no such label" in seen.said
    assert "HOST-BOUND" not in seen.said.partition("\n\n")[2].partition("\n\n")[0]


def test_an_exception_of_torch_names_the_programs_line(ending):
    seen, script = ending("model(batch[:, :1])")
    assert seen.report["failure"]["error"] == "RuntimeError"
    assert seen.report["failure"]["at"] == f"{script}:12"
    assert "shapes cannot be multiplied" in seen.report["failure"]["message"]


WORKERS = """
import torch
class Broken(torch.utils.data.Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        if index == 30:
            raise {error}
        return torch.rand(4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Broken(), batch_size=2, num_workers=1):
        model(batch).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [('ValueError("no such: label\\nat all")', "ValueError", "no such: label at all"), ('KeyError("cat")', "KeyError", "'cat'")],
)
def test_an_exception_of_a_worker_is_its_last_line_and_its_own_place(tmp_path, error, kind, message):
    script = tmp_path / "train.py"
    script.write_text(WORKERS.format(error=error))
    seen = harness.run_observed([sys.executable, script], tmp_path)
    failure = seen.report["failure"]
    assert failure["error"] == kind and failure["at"] == f"{script}:8"
    assert failure["message"] == f"{message} (in DataLoader worker process 0)"
    assert "\nLine" in seen.said and f"{script.name}:8\n" in seen.said


def test_a_failed_run_is_short_and_advises_nothing(ending):
    seen, script = ending('raise ValueError("no")')
    assert len(seen.said.splitlines()) <= 12, seen.said
    assert "\nSeen     " in seen.said and "train.py:12\n" in seen.said
    assert not any(word in seen.said for word in ("Fix 1", "flatout tune", "Charts:", "Ruled out"))


def test_a_module_that_does_not_parse_is_named(ending):
    seen, script = ending("open(__file__[:-8] + 'odd.py', 'w').write('x = 1\\nx = (\\n'); import odd")
    assert seen.report["failure"]["error"] == "SyntaxError"
    assert seen.report["failure"]["at"] == f"{script.parent / 'odd.py'}:2"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("'Short. ' + 'word ' * 200", "Short. " + ("word " * 118).rstrip() + " ..."),
        ("'Expected e.g. ' + 'a-path/' * 200", ("Expected e.g. " + "a-path/" * 84)[:600] + " ..."),
        ("'One whole sentence. ' * 40", ("One whole sentence. " * 30).rstrip()),
        ("'x' * 700", "x" * 600 + " ..."),
        ("'Is 600. ' * 75", ("Is 600. " * 75).rstrip()),
    ],
)
@pytest.mark.every_change("'Short. ' + 'word ' * 200-told0", "'x' * 700-told3")
def test_a_long_message_keeps_most_of_what_600_characters_hold(ending, said, told):
    """Whole sentences where they are most of it; not the first short one alone of a text that is one long sentence behind it."""
    seen, _ = ending(f"raise ValueError({said})")
    assert seen.report["failure"]["message"] == told


def test_an_exceptions_own_words_are_not_asked_for_twice(ending):
    seen, _ = ending("raise Odd()")
    assert seen.report["failure"] | {"at": ""} == {"error": "Odd", "at": "", "after_steps": 12}


@pytest.mark.parametrize("end", ["sys.exit(3)", "import os; os._exit(3)"])
def test_an_exit_status_without_an_exception(ending, end):
    seen, _ = ending(end)
    assert seen.report["failure"] == {"after_steps": 12}
    assert "FAILED: exit code 3 after" in seen.said


def test_a_program_that_ends_well_has_no_failure(ending):
    seen, _ = ending("sys.exit(0)")
    assert "failure" not in seen.report and seen.report["run"]["state"] == "finished"


def test_before_the_first_step(cli):
    done = cli("run", "--json", "r.json", "--", sys.executable, "-c", "import torch, nowhere")
    assert done.returncode == 1
    assert b"FAILED: exit code 1" in done.stderr and b"NO STEPS" not in done.stderr
