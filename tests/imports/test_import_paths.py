"""flatout import reads: whatever names its inputs hold, nothing of theirs or beside them is made, opened to write, replaced or removed."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE / "track_api")]
import canaries
import harness
from tracker_files import event_file, mlflow_run, text, wandb_item, wandb_log, wandb_run

del sys.path[:2]

TABLES = """
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE runs (run_uuid TEXT PRIMARY KEY, name TEXT, user_id TEXT, source_name TEXT, status TEXT, start_time BIGINT, end_time BIGINT,
                   lifecycle_stage TEXT, artifact_uri TEXT, experiment_id INTEGER);
CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT, is_nan BOOLEAN);
CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);
CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);
INSERT INTO experiments VALUES (1, 'e');
"""
RUN = "INSERT INTO runs VALUES (?, ?, ?, ?, 'FINISHED', 1700000000000, 1700000001000, 'active', ?, 1)"
METRIC = "INSERT INTO metrics VALUES (?, 0.5, 1700000000500, ?, 1, 0)"


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "user/in").mkdir(parents=True)
    files = canaries.plant(tmp_path / "user/canaries")
    return tmp_path, files, [name for name in canaries.hostile_names(files[:2], tmp_path / "user/in") if "\udcff" not in name]


def imported(root, *paths):
    return subprocess.run([harness.flatout_bin(), "import", *map(str, paths), "--format", "json"], cwd=root / "user/in",
                          env=harness.environment(FLATOUT_HOME=root / "home", TMPDIR=root), capture_output=True, text=True, timeout=120)


def fill(root, files, names):
    """Runs of each tracker in which every text is a name that leads elsewhere."""
    into = root / "user/in"
    for at, name in enumerate(names):
        folder = into / f"wandb/offline-run-{at}"
        (folder / "files/media").mkdir(parents=True)
        (folder / "files/media/link.png").symlink_to(files[0])
        picture = json.dumps({"_type": "image-file", "path": name, "format": "png"})
        linked = json.dumps({"_type": "image-file", "path": "media/link.png"})
        items = wandb_item("_step", "0") + wandb_item(name, picture) + wandb_item("linked", linked) + wandb_item(name + "/loss", "0.5")
        head = text(17, text(1, name) + text(3, name) + text(8, name) + text(10, name) + text(4, wandb_item(name, json.dumps(name))))
        (folder / f"run-{at}.wandb").write_bytes(wandb_log([head, text(2, items)]))
    (into / "runs/exp").mkdir(parents=True)
    (into / "runs/exp/events.out.tfevents.1.n").write_bytes(event_file([(name, at, 0.5) for at, name in enumerate(names)]))
    (into / "runs/link").symlink_to(root / "user/canaries")
    mlflow_run(into / "mlruns/1/0123abcd")
    for folder in ("params", "tags", "metrics"):
        (into / "mlruns/1/0123abcd" / folder / "link").symlink_to(files[0])
    for at, name in enumerate(one for one in names if "\0" not in one and "\n" not in one):
        mlflow_run(into / f"mlruns/1/{at:032x}")
        (into / f"mlruns/1/{at:032x}/meta.yaml").write_text(f"run_id: {name}\nrun_name: {name}\nartifact_uri: {name}\nstart_time: 1700000000000\nstatus: 3\n")
    with contextlib.closing(sqlite3.connect(into / "mlflow.db")) as database:
        database.executescript(TABLES)
        database.executemany(RUN, [(name, name, name, name, name) for name in names])
        database.executemany(METRIC, [(name, name) for name in names])
        database.execute(RUN, ("fine", "n", "u", "s", f"file://{files[0]}"))
        database.execute(METRIC, ("loss", "fine"))
        database.commit()


def test_names_in_what_is_imported_lead_nowhere(scene):
    root, files, names = scene
    fill(root, files, names)
    before = canaries.seen(root / "user")
    done = imported(root, "wandb", "runs", "mlruns", "mlflow.db")
    assert done.returncode in (0, 1) and len(json.loads(done.stdout)["runs"]) > 2 * len(names), done.stderr
    assert canaries.seen(root / "user") == before
    kept = list((root / "home/runs").glob("*/files/*"))
    assert all(path.is_file() and not path.is_symlink() and "/" not in path.name for path in kept)
    assert sorted(os.listdir(root)) == ["home", "user"]


def test_paths_that_are_given_to_import_lead_nowhere(scene):
    root, files, names = scene
    (root / "user/in/run-x.wandb").write_bytes(wandb_run(2))
    before = canaries.seen(root / "user")
    for name in names:
        if "\0" not in name and not (os.path.isdir(root / "user/in" / name) and not os.path.realpath(root / "user/in" / name).startswith(str(root))):
            imported(root, "--", name)
    assert canaries.seen(root / "user") == before


# An MLflow database with a write-ahead log: SQLite makes files beside one that it only reads.

WRITER = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("PRAGMA journal_mode=WAL")
database.execute("PRAGMA wal_autocheckpoint=0")
database.executescript(sys.argv[2])
for run in ("one", "two"):
    database.execute(sys.argv[3], (run,) * 5)
    database.execute(sys.argv[4], ("loss", run))
database.commit()
if sys.argv[5] == "closed":
    database.close()
if sys.argv[5] == "open":
    print("written", flush=True)
    sys.stdin.read()
    database.execute(sys.argv[3], ("three",) * 5)
    database.commit()
    print("and more", flush=True)
os._exit(0)
"""


def written(root, how):
    return subprocess.Popen([sys.executable, "-c", WRITER, root / "user/in/mlflow.db", TABLES, RUN, METRIC, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


def unchanged(folder):
    """As root SQLite gives the log and its index to their owner again, which is a change of no more than its own time."""
    return {name: what[:6] + what[7:] if name.endswith(("-wal", "-shm")) else what for name, what in canaries.seen(folder).items()}


@pytest.mark.parametrize("how", ["closed", "killed", "open"])
def test_nothing_is_made_beside_a_database(scene, how):
    root, _, _ = scene
    writer = written(root, how)
    if how == "open":
        assert writer.stdout.readline() == "written\n"
    else:
        writer.communicate(timeout=60)
    before = unchanged(root / "user")
    assert ("in/mlflow.db-wal" in before) == (how != "closed")
    done = imported(root, "mlflow.db")
    assert done.returncode == 0, done.stderr
    assert [run["values"] for run in json.loads(done.stdout)["runs"]] == [1, 1]
    assert unchanged(root / "user") == before
    if how == "open":
        assert writer.communicate(timeout=60)[0] == "and more\n" and writer.returncode == 0


def test_a_log_that_only_its_writer_can_read_is_said(scene):
    root, _, _ = scene
    written(root, "killed").communicate(timeout=60)
    (root / "user/in/mlflow.db-shm").unlink()  # as in a copy of the database and its log
    before = unchanged(root / "user")
    done = imported(root, "mlflow.db")
    assert done.returncode == 1 and "mlflow.db-wal" in done.stderr and "wal_checkpoint" in done.stderr
    assert unchanged(root / "user") == before
