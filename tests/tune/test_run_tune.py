"""`flatout run --tune`: settings that are switched inside the training which counts."""

import json
import subprocess
import sys
import tomllib

import harness
import pytest

PROGRAM = harness.ROOT / "tests/tune/programs" / "fetches.py"
WORKERS = "dataloader.num_workers"


def run(folder, *arguments, options=("--tune",), program=PROGRAM, timeout=240):
    """(flatout.report/1, what the program printed, what flatout printed, its weights)."""
    folder.mkdir()
    words = [harness.flatout_bin(), "run", *options, "--no-live", "--json", "report.json", "--", sys.executable, program, "weights.pt", *arguments]
    done = subprocess.run([str(word) for word in words], cwd=folder, env=harness.environment(FLATOUT_HOME=folder / "home"),
                          capture_output=True, text=True, timeout=timeout)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "report.json").read_text()), done.stdout, done.stderr, (folder / "weights.pt").read_bytes()


def bare(folder, *arguments):
    folder.mkdir()
    done = subprocess.run([sys.executable, PROGRAM, "weights.pt", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout, (folder / "weights.pt").read_bytes()


def test_what_helps_stays_and_the_weights_are_those_of_a_run_without_it(tmp_path):
    report, printed, said, weights = run(tmp_path / "tuned", "6")
    assert (printed, weights) == bare(tmp_path / "bare", "6")
    (kept,) = report["tuned"]["kept"]
    assert kept["knob"] == WORKERS and kept["from"] == 0 and kept["to"] >= 2, report["tuned"]
    assert kept["interval"][0] > 1.2 and report["tuned"]["seconds"] < 60
    plan = tomllib.loads((tmp_path / "tuned" / "flatout.toml").read_text())
    assert plan["knobs"] == {"dataloader": {"num_workers": kept["to"]}} or plan["knobs"] == {WORKERS: kept["to"]}
    assert "while it runs" in said and "for the next run: flatout run --plan flatout.toml" in said


def test_what_would_change_the_samples_is_left_to_tune(tmp_path):
    report, printed, said, weights = run(tmp_path / "tuned", "2", "draws")
    assert (printed, weights) == bare(tmp_path / "bare", "2", "draws")
    assert report["tuned"]["kept"] == [] and report["tuned"]["tried"] == 0
    assert any("random numbers" in one for one in report["tuned"]["left_out"]), report["tuned"]
    assert not (tmp_path / "tuned" / "flatout.toml").exists()


@pytest.mark.parametrize("options,why", [(("--tune",), "the program ended before enough of its steps were seen"),
                                         (("--tune", "--no-hooks"), "--tune does nothing: --no-hooks was given")])
def test_a_run_that_cannot_be_tuned_says_why_and_is_a_run_like_any_other(tmp_path, options, why):
    report, printed, said, weights = run(tmp_path / "tuned", "1", "short", options=options)
    assert (printed, weights) == bare(tmp_path / "bare", "1", "short")
    assert why in said and "tuned" not in report
