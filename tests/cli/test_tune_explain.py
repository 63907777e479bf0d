"""`flatout tune --explain` gives the line and a diff that git applies, where a trial reports the line."""

import os
import subprocess
import sys
from pathlib import Path

import harness
import pytest

PROGRAM = Path(__file__).parent / "programs" / "trains_by_hand.py"


class Recorded:
    """The program in a folder of its own, recorded once; and plans whose evidence names that run."""

    def __init__(self, folder):
        self.work = folder / "work"
        self.work.mkdir()
        self.script = self.work / "train.py"
        self.script.write_text(PROGRAM.read_text())
        self.env = harness.environment(FLATOUT_HOME=folder / "home", PYTHONPATH=harness.ROOT / "tests")
        self.flatout("run", "--quiet", "--", sys.executable, "train.py")
        self.run = harness.report_of(folder / "home")["run"]["id"]

    def flatout(self, *words, cwd=None):
        return harness.run_plain([harness.flatout_bin(), *words], env=self.env, cwd=cwd or self.work)

    def explained(self, *lines, cwd=None):
        knobs = [line.split(" = ")[0] for line in lines]
        evidence = "".join(f'[[evidence]]\nknob = "{knob}"\nruns = ["gone", "{self.run}"]\n' for knob in knobs)
        plan = self.work / "plan.toml"
        plan.write_text("[knobs]\n" + "\n".join(lines) + "\n\n" + evidence)
        done = self.flatout("tune", "--explain", plan, cwd=cwd)
        assert done.code == 0, done.err
        return done.out.decode()


@pytest.fixture
def recorded(tmp_path):
    return Recorded(tmp_path)


def applied(text, cwd):
    """All that --explain writes, through git apply, as a shell's pipe gives it."""
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(cwd.parent)}
    subprocess.run(["git", "apply", "-"], input=text.encode(), cwd=cwd, env=env, check=True)


def test_the_diff_applies_and_the_program_does_what_the_plan_did(recorded):
    text = recorded.explained("dataloader.num_workers = 2", "dataloader.prefetch_factor = 3", "optimizer.fused = true")
    assert "  where:              train.py:12\n" in text and "  where:              train.py:11\n" in text
    applied(text, recorded.work)
    changed = recorded.script.read_text()
    assert "        shuffle=True,  # as ever\n        num_workers=2,\n        prefetch_factor=3,\n    )\n" in changed
    assert "SGD(model.parameters(), lr=0.1, fused=True)  # plain (and slow)\n" in changed
    done = harness.run_plain([sys.executable, "train.py"], env=recorded.env, cwd=recorded.work)
    assert done.out == b"workers 2 ahead 3 fused True\n", done.err
    assert "--- a/" not in recorded.explained("dataloader.num_workers = 2")


def test_what_cannot_be_changed_safely_says_why(recorded):
    knob = "dataloader.num_workers = 2"
    source = recorded.script.read_text()
    for old, new, why in (
        ("        batch_size=4,\n", "        **dict(batch_size=4),\n", "the call takes arguments from a variable, by * or **"),
        ("    loader = DataLoader(", "    loader = make(", "the line does not call DataLoader"),
    ):
        recorded.script.write_text(source.replace(old, new))
        text = recorded.explained(knob)
        assert f"  where:              train.py:12 (by hand: {why})\n" in text and "--- a/" not in text
    recorded.script.unlink()
    assert "train.py:12 (by hand: it is not there any more)" in recorded.explained(knob)
    recorded.script.write_text(source)
    assert "(by hand: arguments that need workers go, too)" in recorded.explained("dataloader.num_workers = 0")


def test_elsewhere_it_gives_the_whole_path_and_no_diff(recorded, tmp_path):
    text = recorded.explained("dataloader.num_workers = 2", cwd=tmp_path / "home")
    assert f"  where:              {recorded.script}:12\n" in text and "--- a/" not in text
    # Not of another program that has a file of that name, but where the folder itself is another: a trial ran in a copy.
    other = tmp_path / "other"
    other.mkdir()
    (other / "train.py").write_text(recorded.script.read_text())
    assert "--- a/" not in recorded.explained("dataloader.num_workers = 2", cwd=other)
    recorded.script.unlink()
    applied(recorded.explained("dataloader.num_workers = 2", cwd=other), other)
    assert "num_workers=2" in (other / "train.py").read_text()


def test_without_a_trial_it_is_the_lines_alone(recorded):
    (recorded.work / "plan.toml").write_text("[knobs]\ndataloader.num_workers = 2\ndataloader.num_worker = 2\n")
    assert recorded.flatout("tune", "--explain", "plan.toml").out.decode() == (
        "dataloader.num_workers = 2\n"
        "  script:             DataLoader(..., num_workers=2)\n"
        "  TrainingArguments:  dataloader_num_workers=2\n"
        "  lightning.Trainer:  as in the script\n"
        "dataloader.num_worker = 2\n"
        "  this version of flatout knows no such knob; did you mean dataloader.num_workers?\n"
    )
