"""flatout tune --resume on a real program that was interrupted by a real Ctrl-C."""

import json
import statistics
import subprocess

import jsonschema
import pytest

import harness
from trials import interrupt_after, rows_of


def runs_in(tune):
    return {run["id"] for run in json.loads(tune.flatout("ls", "--format", "json").stdout)["runs"]}


@pytest.mark.slow
def test_an_interrupted_tune_goes_on(tune):
    command = tune.command("train.py", "--wait-ms", 10)
    out = interrupt_after(tune, command, "+ ", "--steps", 24, "--knobs", "num_workers")
    before = json.loads(tune.json.read_text())
    assert out.rstrip().splitlines()[-1] == f"go on:    flatout tune --resume {before['id']}"
    journal = tune.home / "runs" / before["id"] / "tune.journal"
    made = [json.loads(line)["run"] for line in journal.read_text().splitlines()[1:]]
    assert made[0] == before["id"] and len(made) >= 4

    # What would decide otherwise is refused, before a trial.
    stored = runs_in(tune)
    for options, words, where in (
        (("--resume", "--risk", "same_maths"), "that tune had --risk rounding", command),
        (("--resume", "--steps", "50"), "that tune had --steps 24", command),
        (("--resume", before["id"]), "was of another command", [*command, "--draws"]),
    ):
        tune(where, *options, code=2)
        assert words in tune.err
    tune([*command, "--draws"], "--resume", code=1)
    assert "no unfinished tune of this command" in tune.err
    assert runs_in(tune) == stored

    # It needs no command: that stands in the journal.
    done = subprocess.run([*map(str, tune.words("--resume", before["id"]))], env=tune.env(), cwd=tune.folder,
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"resume: {len(made)} trials taken over" in done.stdout
    after = json.loads(tune.json.read_text())
    assert (after["id"], after["baseline"]) == (before["id"], before["baseline"])
    assert after["trials"][: len(before["trials"])] == before["trials"]
    assert rows_of(done.stdout)[: len(rows_of(out))] == rows_of(out)
    assert "interrupted" not in after
    final = after.get("final", {}).get("runs", [])  # none where a restless machine kept nothing
    assert bool(final) == any(row["kept"] for row in after["trials"])
    family = {run["id"] for run in json.loads(tune.flatout("ls", "--format", "json").stdout)["runs"]
              if run.get("parent") == before["id"]}  # fmt: skip
    assert set(final) <= family and not set(final) & stored

    # Finished: told again by its id, without a trial, and no longer what --resume means by itself.
    stored = runs_in(tune)
    again = tune(command, "--resume", before["id"])
    assert runs_in(tune) == stored
    assert {**again, "seconds": 0, "ended_ns": 0} == {**after, "seconds": 0, "ended_ns": 0}
    tune(command, "--resume", code=1)
    assert "no unfinished tune of this command" in tune.err

    # What it predicted is held against what it measured, as long as its first run is there.
    accuracy = json.loads(tune.flatout("accuracy", "--json").stdout)
    jsonschema.Draft202012Validator(json.loads((harness.ROOT / "schema/accuracy.schema.json").read_text())).validate(accuracy)
    errors = [abs(row["predicted_speedup"] / row["speedup"] - 1) for row in after["trials"]
              if "predicted_speedup" in row and "speedup" in row]  # fmt: skip
    assert accuracy["tunes"] == 1 and accuracy["all"]["predictions"] == len(errors) > 0
    assert accuracy["all"]["median_error"] == pytest.approx(statistics.median(errors), rel=1e-6)
    assert accuracy["all"]["median_error"] == pytest.approx(after["prediction_error_median"], rel=1e-6)
    assert "dataloader.num_workers" in tune.flatout("accuracy").stdout
    assert tune.flatout("rm", before["id"]).returncode == 0
    assert "no stored tune" in tune.flatout("accuracy").stdout
