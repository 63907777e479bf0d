"""flatout import: runs of other trackers as runs of flatout's, seen through its other verbs."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness
from tracker_files import event_file, mlflow_run, wandb_run

sys.path.pop(0)


@pytest.fixture
def flatout(tmp_path):
    env = {**os.environ, "FLATOUT_HOME": str(tmp_path / "home")}

    def run(*arguments, status=0):
        done = subprocess.run([harness.flatout_bin(), *map(str, arguments)], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "wandb/offline-run-1").mkdir(parents=True)
    (tmp_path / "wandb/offline-run-1/run-3k2f9x1c.wandb").write_bytes(wandb_run(20, exit_code=3))
    (tmp_path / "runs/exp1").mkdir(parents=True)
    (tmp_path / "runs/exp1/events.out.tfevents.1.node7").write_bytes(event_file([("loss", step, 1.0 / (step + 1)) for step in range(10)]))
    mlflow_run(tmp_path / "mlruns/1/0123abcd")
    return tmp_path


def imported(flatout, *paths):
    return json.loads(flatout("import", *paths, "--format", "json").stdout)["runs"]


def test_runs_of_three_trackers_stand_beside_each_other(flatout, files):
    runs = {one["source"]: one for one in imported(flatout, "wandb", "runs", "mlruns")}
    assert {source: (one["name"], one["values"]) for source, one in runs.items()} == {
        "wandb": ("brisk-wave", 20),
        "tensorboard": ("exp1", 10),
        "mlflow": ("calm-dog", 2),
    }
    listed = {one["id"]: one for one in json.loads(flatout("ls", "--format", "json").stdout)["runs"]}
    wandb = listed[runs["wandb"]["run"]]
    assert wandb["state"] == "failed" and wandb["name"] == "brisk-wave"
    assert listed[runs["mlflow"]["run"]]["state"] == "finished"
    meta = json.loads((files / "home/runs" / runs["wandb"]["run"] / "meta.json").read_text())["tracked"]
    assert (meta["project"], meta["tags"], meta["config"]) == ("mnist", ["base"], {"lr": 0.1, "model": {"depth": 18}})
    assert meta["summary"]["loss"] == pytest.approx(0.05)


def test_numbers_keep_their_step_and_their_time(flatout, files):
    (run,) = imported(flatout, "mlruns")
    flatout("export", run["run"], "--out", files / "tables")
    rows = list(csv.DictReader((files / "tables/values.csv").open()))
    assert [(row["name"], float(row["value"]), int(row["step"])) for row in rows] == [("loss", 0.5, 0), ("loss", 0.25, 1)]
    seconds = [float(row["time_s"]) for row in rows]
    assert seconds == pytest.approx([1.0, 2.0])


def test_a_second_import_changes_nothing_and_again_stores_another(flatout, files):
    (first,) = imported(flatout, "runs")
    (second,) = imported(flatout, "runs/exp1")
    assert second["known"] and second["run"] == first["run"]
    (third,) = json.loads(flatout("import", "runs", "--again", "--format", "json").stdout)["runs"]
    assert third["run"] != first["run"] and not third["known"]


def test_one_that_cannot_be_read_leaves_the_others(flatout, files):
    (files / "wandb/broken").mkdir()
    (files / "wandb/broken/run-x.wandb").write_bytes(b"not a log")
    done = flatout("import", "wandb", status=1)
    assert "run-x.wandb is no log of wandb's" in done.stderr
    assert "brisk-wave: 20 values" in done.stdout
    assert len(json.loads(flatout("ls", "--format", "json").stdout)["runs"]) == 1


def test_a_folder_without_any_is_an_error_that_says_what_was_looked_for(flatout, tmp_path):
    done = flatout("import", ".", status=1)
    assert "events.out.tfevents" in done.stderr and "run-*.wandb" in done.stderr and "meta.yaml" in done.stderr


def test_the_report_says_that_it_was_imported(flatout, files):
    (run,) = imported(flatout, "runs")
    said = " ".join(flatout("report", run["run"]).stdout.split())
    assert "it was imported from tensorboard" in said and f"flatout show {run['run']}" in said


def test_names_with_escapes_do_not_reach_the_terminal(flatout, tmp_path):
    (tmp_path / "run-x.wandb").write_bytes(wandb_run(1, name="a\x1b[31mb"))
    done = flatout("import", "run-x.wandb")
    assert "\x1b" not in done.stdout + flatout("ls").stdout + flatout("show", "latest").stdout


def test_a_home_that_cannot_be_written_is_said_and_nothing_is_half_there(flatout, files):
    (files / "home").write_text("a file")
    done = flatout("import", "runs", status=1)
    assert "home" in done.stderr


def test_a_home_that_cannot_be_written_is_said_as_it_is(flatout, files):
    (files / "file").write_text("in the way")
    done = flatout("import", "runs", "--home", files / "file/home", status=1)
    assert "it was not imported" in done.stderr and "--home" in done.stderr and "in memory" not in done.stderr
