"""flatout import of what neptune-exporter writes: its schema, its folders, and what is wrong with them."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness
from parquet_python import python_with_pyarrow

sys.path.pop(0)

WRITER = Path(__file__).with_name("neptune_export.py")
START = 1_700_000_000_000
PNG = "\x89PNG\r\n\x1a\n rest"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("neptune")


@pytest.fixture(scope="module")
def python(folder):
    found = python_with_pyarrow(folder)
    if found is None:
        pytest.skip("no pyarrow here: `make test` fetches it, or name a python that has it in FLATOUT_TEST_PYARROW")
    return found


@pytest.fixture(scope="module")
def flatout(folder, python):
    env = {**os.environ, "FLATOUT_HOME": str(folder / "home"), "FLATOUT_PYTHON": str(python)}

    def run(*arguments, status=0, **more):
        done = subprocess.run([harness.flatout_bin(), *map(str, arguments)], env={**env, **more}, cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run


def field(path, kind, value):
    column = {"datetime": "datetime_value", "string_set": "string_set_value"}.get(kind, f"{kind}_value")
    return {"attribute_path": path, "attribute_type": kind, column: value}


def point(path, step, value, ms=None, kind="float_series", column="float_value"):
    return {"attribute_path": path, "attribute_type": kind, "step": str(step), "timestamp": START + (int(step * 1000) if ms is None else ms), column: value}


def file_row(path, named, kind="file", step=None):
    row = {"attribute_path": path, "attribute_type": kind, "file_value": {"path": named}}
    return row if step is None else {**row, "step": str(step), "timestamp": START + 1}


def third(run="night-7", **more):
    """A run of Neptune 3 with every kind of attribute."""
    head = [
        field("sys/custom_run_id", "string", run),
        field("sys/name", "string", "warm restarts"),
        field("sys/creation_time", "datetime", START),
        field("sys/tags", "string_set", ["base", "b\u00e9b\u00e9"]),
        field("sys/description", "string", "the second try"),
        field("sys/forking/parent", "string", "night-6"),
        field("sys/forking/step", "float", 40.0),
        field("params/lr", "float", 0.1),
        field("params/optim/name", "string", "adamw"),
        field("params/layers", "int", 18),
        field("params/amp", "bool", True),
        field("params/made", "datetime", START),
        field("params/absent", "float", None),
        field("result/accuracy", "float", 0.75),
    ]
    series = [point(f"train/{name}", step, value / (step + 1)) for step in range(1500) for name, value in (("loss", 1.0), ("acc", 2.0))]
    rest = [
        *(point("eval/loss", step / 2, float(step)) for step in range(4)),
        point("monitoring/a1/gpu", 0, 93.0),
        point("train/loss", 1500, float("nan")),
        *(point("notes", step, f"note {step}", kind="string_series", column="string_value") for step in range(2)),
        *(point("runtime/stdout", step, f"line {step}", kind="string_series", column="string_value") for step in range(3)),
        point("grads", 3, {"type": "COUNTING", "edges": [0.0, 1.0, 2.0], "values": [3.0, 4.0]}, kind="histogram_series", column="histogram_value"),
        file_row("model/card", "night-7/model/card.txt"),
        file_row("confusion", "night-7/confusion", "file_series", 2),
        file_row("stolen", "../../../etc/passwd"),
    ]
    files = {"night-7/model/card.txt": "a card", "night-7/confusion": PNG}
    return {"project": "team/mnist", "run": run, "parts": [head + series, rest], "files": files, **more}


def second(run="SAN-1", failed=False, **more):
    """A run of Neptune 2."""
    rows = [
        field("sys/id", "string", run),
        field("sys/name", "string", "brisk wave"),
        field("sys/failed", "bool", failed),
        field("sys/group_tags", "string_set", ["ablation"]),
        field("sys/hostname", "string", "node7"),
        field("sys/creation_time", "datetime", START),
        *(point("loss", step, 1.0 / (step + 1)) for step in range(3)),
    ]
    return {"project": "team/other", "run": run, "parts": [rows], **more}


def odd():
    rows = [
        *second()["parts"][0],
        {"attribute_path": "x", "attribute_type": "notebook_ref"},
        {"attribute_path": "y", "attribute_type": "float_series"},
        {"attribute_path": None, "attribute_type": "float", "float_value": 1.0},
        {"attribute_path": "z", "attribute_type": None},
        field("/".join(["deep"] * 3000), "float", 1.0),
        {**point("loss", 9, 1.0), "run_id": "SAN-9"},
        point("a\x1b[31mb", -3, float("inf"), ms=-START),
    ]
    return {"project": "team/other", "run": "ODD-1", "parts": [[{**row, "run_id": row.get("run_id", "ODD-1")} for row in rows]]}


def cut(path, bytes_left):
    path.write_bytes(path.read_bytes()[:bytes_left])


@pytest.fixture(scope="module")
def exports(folder, python):
    """Four good runs, two that cannot be read, one of which a part cannot, and one whose rows do not fit each other."""
    half = third("half-1")
    runs = [third(), second(), second("SAN-2", failed=True), {**second("MOD-1"), "scope": "models"}, second("CUT-1"), second("BAD-1"), half, odd()]
    subprocess.run([python, WRITER, folder / "exports"], input=json.dumps(runs), text=True, check=True)
    data = folder / "exports/data"
    (one,), (two,), (later,) = data.glob("*/CUT-1-*"), data.glob("*/BAD-1-*"), data.glob("*/half-*_part_1.parquet")
    cut(one, one.stat().st_size // 2)
    two.write_bytes(b"PAR1" + b"\xff" * 4000 + b"\xff\xff\xff\x7fPAR1")
    cut(later, 100)
    return folder / "exports"


def imported(flatout, *paths, status=0, **more):
    return json.loads(flatout("import", *paths, "--format", "json", status=status, **more).stdout)["runs"]


@pytest.fixture(scope="module")
def runs(flatout, exports):
    return {Path(one["path"]).name.split("-")[0] + Path(one["path"]).name.split("-")[1]: one for one in imported(flatout, exports, status=1)}


def test_every_kind_of_attribute_is_there(flatout, folder, runs):
    run = runs["night7"]
    assert (run["source"], run["name"], run["values"]) == ("neptune", "night-7", 3006), run
    meta = json.loads((folder / "home/runs" / run["run"] / "meta.json").read_text())["tracked"]
    assert (meta["project"], meta["group"], meta["tags"]) == ("mnist", "warm restarts", ["base", "b\u00e9b\u00e9"])
    params = meta["config"]["params"]
    assert params == {"lr": 0.1, "optim": {"name": "adamw"}, "layers": 18, "amp": True, "made": "2023-11-14T22:13:20Z"}
    assert meta["config"]["sys"]["forking"] == {"parent": "night-6", "step": 40.0}
    assert meta["summary"]["result/accuracy"] == 0.75 and "monitoring/a1/gpu" not in meta["summary"]

    flatout("export", run["run"], "--out", "tables")
    with (folder / "tables/values.csv").open() as file:
        rows = list(csv.DictReader(file))
    loss = [row for row in rows if row["name"] == "train/loss"]
    assert [int(row["step"]) for row in loss] == [*range(1500), 1500] and float(loss[1]["value"]) == 0.5
    assert float(loss[2]["time_s"]) == pytest.approx(2.0)
    halves = [(int(row["step"]), float(row["value"])) for row in rows if row["name"] == "eval/loss"]
    assert halves == [(0, 0.0), (5, 1.0), (10, 2.0), (15, 3.0)], "steps of 0, 0.5, 1, 1.5, times ten"
    assert any("eval/loss are not whole: they are stored times 10" in note for note in run["notes"])
    assert any("1 files that are not in" in note for note in run["notes"]), "a path out of the export is not followed"
    kept = {path.read_bytes() for path in (folder / "home/runs" / run["run"] / "files").iterdir()}
    assert kept == {b"a card", PNG.encode("latin-1"), b"line 0\nline 1\nline 2\n"}


def test_many_runs_of_several_projects_in_one_export(flatout, runs):
    assert {key: (one["name"], one["values"]) for key, one in runs.items() if one["run"]} == {
        "night7": ("night-7", 3006), "SAN1": ("brisk wave", 3), "SAN2": ("brisk wave", 3), "MOD1": ("brisk wave", 3), "half1": ("half-1", 3000),
        "ODD1": ("brisk wave", 4),
    }
    listed = {one["id"]: one for one in json.loads(flatout("ls", "--format", "json").stdout)["runs"]}
    assert listed[runs["SAN1"]["run"]]["state"] == "finished" and listed[runs["SAN2"]["run"]]["state"] == "failed"
    assert [one["known"] for one in imported(flatout, runs["SAN1"]["path"])] == [True], "a part by its path is the same run"


def test_what_a_program_logged_leaves_in_every_format(flatout, folder, python, runs):
    run = runs["SAN1"]["run"]
    for form in ("parquet", "perfetto", "otlp"):
        flatout("export", run, "--format", form, "--out", form)
    look = (
        "import pyarrow.parquet as p, sys, json; t = p.read_table(sys.argv[1]);"
        "print(json.dumps([[str(f.type) for f in t.schema], t.select(['name', 'step', 'value', 'track']).to_pylist()]))"
    )
    seen = subprocess.run([python, "-c", look, folder / "parquet/values.parquet"], capture_output=True, text=True, check=True).stdout
    types, rows = json.loads(seen)
    assert types == ["double", "timestamp[ms, tz=UTC]", "int64", "string", "int64", "double", "int64"]
    assert rows == [{"name": "loss", "step": step, "value": 1.0 / (step + 1), "track": 0} for step in range(3)]
    events = json.loads((folder / "perfetto/trace.perfetto.json").read_text())["traceEvents"]
    assert [event["args"] for event in events if event["ph"] == "C" and event["name"] == "loss"] == [{"value": 1.0}, {"value": 0.5}, {"value": 1 / 3}]
    (line,) = [json.loads(line) for line in (folder / "otlp/metrics.otlp.jsonl").read_text().splitlines()]
    (metric,) = line["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
    assert [(point["timeUnixNano"], point["asDouble"]) for point in metric["gauge"]["dataPoints"]] == [
        (str((START + 1000 * step) * 1_000_000), 1.0 / (step + 1)) for step in range(3)
    ]


def test_damaged_files_leave_the_other_runs(runs):
    assert "cannot be read" in runs["CUT1"]["problem"] and "cannot be read" in runs["BAD1"]["problem"]
    assert any("part_1" in note and "left out" in note for note in runs["half1"]["notes"])


def test_rows_that_do_not_fit_each_other(flatout, runs):
    notes = runs["ODD1"]["notes"]
    assert any("1 rows belong to another run" in note for note in notes) and any("notebook_ref" in note for note in notes)
    assert "\x1b" not in flatout("show", runs["ODD1"]["run"]).stdout


def test_without_pyarrow_one_error_names_it_and_the_others_are_imported(flatout, folder):
    from tracker_files import mlflow_run

    mlflow_run(folder / "mixed/mlruns/1/0123abcd")
    for run in ("a", "b"):
        (folder / f"mixed/{run}_part_0.parquet").write_bytes(b"PAR1")
    bare = folder / "bare-python3"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o755)
    done = flatout("import", "mixed", status=1, FLATOUT_PYTHON=str(bare))
    assert done.stderr.count(f"{bare} -m pip install pyarrow") == 1
    assert "2 runs of Neptune's" in done.stderr and "calm-dog" in done.stdout


def test_a_reader_that_dies_takes_its_run_only_and_what_is_no_export_is_said(flatout, folder, python, exports):
    (good,) = (exports / "data").glob("*/SAN-1-*")
    here = folder / "others"
    here.mkdir()
    for name in ("a-1_part_0", "b-1_part_0", "d-1_part_2"):
        (here / f"{name}.parquet").write_bytes(good.read_bytes())
    dying = folder / "dying-python3"
    dying.write_text(
        f'#!/bin/sh\n[ "$2" = --check ] && exit 0\n[ -e {here}/died ] || {{ touch {here}/died; printf "H\\377\\377"; exit 0; }}\n'
        f'exec {python} "$@"\n'
    )
    dying.chmod(0o755)
    (here / "c-1_part_0.parquet").write_bytes((exports / "of_something_else.parquet").read_bytes())
    one, two, three, four = imported(flatout, here, status=1, FLATOUT_PYTHON=str(dying))
    assert "ended before it was through" in one["problem"] and one["run"] is None
    assert two["values"] == 3
    assert "it is no file of neptune-exporter: it has no column project_id" in three["problem"]
    assert "its export did not end" in four["problem"]
