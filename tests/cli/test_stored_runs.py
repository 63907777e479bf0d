"""show, compare, export, tag, note, rules off, ls and rm on real, tiny runs."""

import csv
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import page_of
import pytest

from parquet_python import python_with_pyarrow
from test_verbs import record, running

ROOT = Path(__file__).resolve().parents[2]
LOOP = ROOT / "tests/faults/programs/steps.py"


def schema_of(name):
    return json.loads((ROOT / "schema" / f"{name}.schema.json").read_text())


def as_json(cli, *args):
    done = cli(*args, "--format", "json")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout, parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(schema_of(args[0])).validate(value)
    return value


def text(cli, *args):
    done = cli(*args)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode("ascii").splitlines()
    assert all(len(line) <= 80 for line in lines), lines
    return done.stdout.decode()


def refused(cli, *args, status=1):
    done = cli(*args)
    assert done.returncode == status, (done.stdout, done.stderr)
    assert done.stdout == b""
    assert done.stderr.startswith(b"flatout: ") and done.stderr.count(b"\n") == 1, done.stderr
    return done.stderr.decode()


@pytest.fixture(scope="module")
def trained(tmp_path_factory, cli_in):
    """Two runs of one loop, the second with half the pause, and one without steps."""
    cli = cli_in(tmp_path_factory.mktemp("trained"))
    for name, pause in (("slow", 0.02), ("fast", 0.005)):
        command = [sys.executable, LOOP, cli.folder / "announced", 60, pause]
        done = cli("run", "--quiet", "--name", name, "--", *command, timeout=180)
        assert done.returncode == 0, done.stderr
    record(cli, "--name", "empty", script="exit 3")
    return cli


def test_show(trained):
    shown = as_json(trained, "show", "slow")
    assert shown["run"]["name"] == "slow" and shown["run"]["exit_code"] == 0
    assert shown["counts"]["steps"] == 60
    assert shown["config"]["loader.workers"] == 0 and shown["config"]["loader.batch_size"] == 2
    assert shown["config"]["optimizer.class"] == "SGD"
    assert "versions.torch" in shown["environment"]
    assert re.search(r"steps.py:[0-9]+$", shown["places"]["loader.built_at"])
    assert shown["storage"]["bytes"] > 0
    rss = [one for one in shown["series"] if one["metric"] == "process.memory.rss"]
    assert rss and rss[0]["max"] >= rss[0]["mean"] >= rss[0]["min"]
    page = text(trained, "show", "slow")
    assert "SGD" in page and "process.memory.rss" in page and shown["places"]["loader.built_at"].rpartition("/")[2] in page.replace("\n          ", "")  # the folder may not be ASCII, which the C locale cannot show


def test_show_without_steps(trained):
    shown = as_json(trained, "show", "empty")
    assert shown["counts"]["steps"] == 0 and shown["run"]["state"] == "failed"
    assert "failed, exit code 3" in text(trained, "show", "empty")


def test_compare(trained):
    found = as_json(trained, "compare", "slow", "fast")
    (run,) = found["runs"]
    low, high = run["speedup"]["interval"]
    assert 1 < low <= run["speedup"]["ratio"] <= high and run["speedup"]["shown"]
    phases = {phase["name"]: phase for phase in run["phases"]}
    assert phases["other"]["after_ms"] < phases["other"]["before_ms"], "the pause is `other`"
    assert [fact["key"] for fact in run["config"]] == ["command"]
    assert run["environment"] == []
    assert "few_steps" in [caution["id"] for caution in run["cautions"]]
    page = text(trained, "compare", "slow", "fast")
    assert "FASTER" in page and "95 % interval" in page
    assert "SLOWER" in text(trained, "compare", "fast", "slow")


def test_compare_as_a_page(trained, tmp_path):
    found = as_json(trained, "compare", "slow", "fast", "empty")
    done = trained("compare", "slow", "fast", "empty", "--format", "html")
    assert done.returncode == 0, done.stderr
    page = done.stdout.decode()
    words = page_of.words_of(page_of.assert_shows(page, found))
    for wanted in ("flatout compare", "(slow) against", "FASTER", "Length of the steady steps", "Steps of the baseline",
                   "no speedup is known", "Every figure"):
        assert wanted in words
    out = tmp_path / "compare.html"
    assert text(trained, "compare", "slow", "fast", "empty", "--format", "html", "--out", out) == ""
    assert out.read_text() == page
    assert "no/such/folder" in refused(trained, "compare", "slow", "fast", "--format", "html", "--out", "/no/such/folder/page.html")


def test_compare_of_a_run_with_itself_shows_no_difference(trained):
    (run,) = as_json(trained, "compare", "slow", "slow")["runs"]
    assert run["speedup"]["ratio"] == 1 and not run["speedup"]["shown"]
    assert run["config"] == run["environment"] == []
    assert all(figure["before"] == figure["after"] for figure in run["figures"])
    assert "no difference shown" in text(trained, "compare", "slow", "slow")


def test_compare_without_steps_and_of_several(trained):
    found = as_json(trained, "compare", "slow", "fast", "empty")
    assert [run["run"]["name"] for run in found["runs"]] == ["fast", "empty"]
    assert "has no steps" in found["runs"][1]["no_speedup"]
    assert "speedup" not in found["runs"][1]
    assert "no speedup is known" in text(trained, "compare", "empty", "slow")
    assert "zzzz" in refused(trained, "compare", "slow", "zzzz")


def test_rules_off(trained):
    plain = trained.report("slow")
    (off, *_) = [f["id"] for f in plain["findings"] if f["id"] != "compute_bound"]
    done = trained("report", "slow", "--rules-off", off, "--format", "json")
    report = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("report")).validate(report)
    assert report["rules_off"] == [off]
    assert off not in [finding["id"] for finding in report["findings"]]
    assert "rules_off" not in plain
    assert off in text(trained, "report", "slow", "--rules-off", off)
    assert off in text(trained, "compare", "slow", "fast", "--rules-off", off)
    problem = refused(trained, "report", "slow", "--rules-off", "nonsense", status=2)
    assert "nonsense" in problem and off in problem


def test_export_csv(trained):
    done = trained("export", "slow", "--out", "tables")
    assert done.returncode == 0, done.stderr
    folder = trained.folder / "tables"
    assert done.stdout.decode().split() == [f"tables/{n}.csv" for n in ("steps", "series", "batches", "values")]
    assert sorted(p.name for p in folder.iterdir()) == ["batches.csv", "series.csv", "steps.csv", "values.csv"]
    with open(folder / "steps.csv", newline="") as file:
        steps = list(csv.DictReader(file))
    assert len(steps) == 60
    for step in steps:
        phases = sum(float(step[key]) for key in step if key.endswith("_ms") and key != "own_ms")
        assert phases == pytest.approx(float(step["own_ms"]), abs=1e-6)
    with open(folder / "series.csv", newline="") as file:
        assert {"host", "process.memory.rss"} & {row["metric"] for row in csv.DictReader(file)}
    before = (folder / "steps.csv").stat().st_mtime_ns
    assert "--force" in refused(trained, "export", "slow", "--out", "tables")
    assert (folder / "steps.csv").stat().st_mtime_ns == before
    assert trained("export", "slow", "--out", "tables", "--force").returncode == 0


def test_export_of_nothing_has_headers(trained):
    assert trained("export", "empty", "--out", "nothing").returncode == 0
    assert len((trained.folder / "nothing/steps.csv").read_text().splitlines()) == 1


def fake_python(folder, body):
    path = folder / "fake-python3"
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)
    return path


def test_export_parquet_without_pyarrow_says_how_to_get_it(trained):
    python = fake_python(trained.folder, "exit 1\n")
    done = trained("export", "slow", "--format", "parquet", "--out", "pq", env=trained.env(FLATOUT_PYTHON=python))
    assert done.returncode == 1
    assert f"{python} -m pip install pyarrow".encode() in done.stderr
    assert not (trained.folder / "pq").exists()


def test_export_parquet_that_fails_leaves_nothing(trained):
    python = fake_python(trained.folder, '[ "$2" = --check ]\n')
    done = trained("export", "slow", "--format", "parquet", "--out", "pq2", env=trained.env(FLATOUT_PYTHON=python))
    assert done.returncode == 1 and b"failed with status 1" in done.stderr
    assert list((trained.folder / "pq2").iterdir()) == []


def test_export_parquet(trained):
    python = python_with_pyarrow(trained.folder)
    if python is None:
        pytest.skip("no pyarrow here: `make test` fetches it, or name a python that has it in FLATOUT_TEST_PYARROW")
    done = trained("export", "slow", "--format", "parquet", "--out", "pq3", env=trained.env(FLATOUT_PYTHON=python))
    assert done.returncode == 0, done.stderr
    folder = trained.folder / "pq3"
    assert sorted(p.name for p in folder.iterdir()) == [
        "batches.parquet", "series.parquet", "steps.parquet", "values.parquet",
    ]
    look = (
        "import pyarrow.parquet as p, sys; t = p.read_table(sys.argv[1] + '/steps.parquet');"
        "print(t.num_rows, t.schema.field('warm_up').type, t.schema.field('start_time').type,"
        " t.schema.field('own_ms').type, sum(t.column('warm_up').to_pylist()))"
    )
    seen = subprocess.run([python, "-c", look, folder], capture_output=True, text=True, check=True).stdout.split()
    assert seen[:2] == ["60", "bool"] and seen[-2] == "double" and int(seen[-1]) >= 10
    assert "timestamp[ms," in seen


def test_tag_and_note(cli):
    run_id = record(cli, "--name", "base")
    assert cli("tag", "base", "b", "a", "b").stdout.decode() == f"{run_id}: a, b\n"
    assert cli("note", run_id, "first", "try").returncode == 0
    (listed,) = as_json(cli, "ls")["runs"]
    assert listed["tags"] == ["a", "b"] and listed["note"] == "first try"
    assert listed["verdict"]["finding"] == "no_steps", "kept when the run ended"
    assert listed["bytes"] > 0
    assert "first try" in text(cli, "show", run_id) and "a, b" in text(cli, "show", run_id)
    assert "a,b" in cli("ls").stdout.decode()
    assert cli("tag", run_id, "--remove", "a").stdout.decode() == f"{run_id}: b\n"
    assert cli("note", run_id, "").returncode == 0
    assert "note" not in as_json(cli, "show", run_id)
    assert cli("tag", run_id, "two words").stdout.decode() == f"{run_id}: b, two words\n"
    assert as_json(cli, "ls", "--tag", "two words")["runs"]
    for bad in (" a", "a ", " ", "a\tb", "a,b", "", "x" * 65, "\x1b[31m"):
        refused(cli, "tag", run_id, "--", bad)
    assert "zzzz" in refused(cli, "tag", "zzzz", "a")
    assert "zzzz" in refused(cli, "note", "zzzz", "a")


def test_ls_filters(cli):
    first, second = record(cli, "--name", "w8"), record(cli, "--name", "w0", script="exit 1")
    cli("tag", first, "keep")
    ids = lambda *args: [run["id"] for run in as_json(cli, "ls", *args)["runs"]]  # noqa: E731
    assert ids() == [second, first]
    assert ids("--tag", "keep") == [first]
    assert ids("--name", "w*") == [second, first]
    assert ids("--state", "failed") == [second]
    assert ids("--state", "failed", "--tag", "keep") == []
    none = cli("ls", "--tag", "nobody")
    assert none.returncode == 0 and none.stdout == b"" and b"no run" in none.stderr


def family(cli):
    """A tune as it lies in a store: a first run with its journal and report, a trial, and a run beside it."""
    tune, trial = record(cli, "--name", "first"), record(cli, "--name", "num_workers=2")
    home = cli.home / "runs"
    for name in ("log.flo", "run.sqlite"):
        assert not (home / trial / name).exists() or (home / trial / name).stat().st_size
    (home / tune / "tune.json").write_text(json.dumps(TUNED | {"id": tune}))
    return tune, trial


TUNED = {
    "schema": "flatout.tune/1", "id": "", "steps": 40, "baseline": {"samples_per_s": 412.0, "interval": [400.0, 424.0], "runs": ["aaaa", "bbbb"], "noise": 0.009},
    "trials": [{"knob": "dataloader.num_workers", "from": 0, "to": 6, "predicted_speedup": 2.4, "predicted_interval": [2.0, 2.9], "speedup": 2.46,
                "interval": [2.41, 2.5], "samples_per_s": 1012.0, "loss_gate": "passed", "kept": True, "runs": ["cccc"]}],
    "skipped": [{"knob": "precision.tf32", "reason": "no GPU"}],
    "final": {"samples_per_s": 1010.0, "speedup": 2.45, "interval": [2.4, 2.5], "confirmed": True, "runs": ["dddd"]},
    "seconds": 60.0, "plan": "flatout.toml", "knobs": {"dataloader.num_workers": 6}, "notes": ["a note"],
}


def test_the_report_of_a_tune_is_what_it_found(cli):
    tune, _ = family(cli)
    page = cli("report", tune).stdout.decode()
    assert page.startswith(f"flatout tune {tune}: sh -c 'exit 0'\n"), "as you would type it"
    for part in ("412 samples/s", "num_workers 0 -> 6", "2.46", "confirmed against the baseline", "a note", "plan:", "flatout.toml", "tf32"):
        assert part in page, part
    assert json.loads(cli("report", tune, "--format", "json").stdout)["schema"] == "flatout.report/1", "of its first run, as ever"
    kinds = {run["id"]: run["kind"] for run in as_json(cli, "ls")["runs"]}
    assert kinds[tune] == "tune"
    assert "tune, 1 run: sh -c exit 0" in cli("ls").stdout.decode()


@pytest.mark.parametrize("broken", ["", "{", "[" * 100_000, '{"schema": "flatout.tune/1"}', json.dumps(TUNED | {"trials": 3}), json.dumps(TUNED | {"knobs": {"a": [[1]]}, "baseline": {"runs": [1]}})])
def test_a_damaged_report_of_a_tune_is_named(cli, broken):
    tune, _ = family(cli)
    (cli.home / "runs" / tune / "tune.json").write_text(broken)
    done = cli("report", tune)
    assert done.returncode == 0 and done.stdout.startswith(b"flatout run ")
    assert b"tune.json is no flatout.tune/1 document" in done.stderr and b"report of its first run" in done.stderr


def test_json_of_the_verbs_that_change_something(cli):
    run_id = record(cli)
    assert as_json(cli, "tag", run_id, "a", "b")["tags"] == ["a", "b"]
    noted = json.loads(cli("note", run_id, "words", "--format", "json").stdout)
    jsonschema.Draft202012Validator(schema_of("tag")).validate(noted)
    assert noted == {"schema": "flatout.tag/1", "id": run_id, "tags": ["a", "b"], "note": "words"}
    written = json.loads(cli("export", run_id, "--json", "--out", "t").stdout)
    jsonschema.Draft202012Validator(schema_of("export")).validate(written)
    assert [Path(file["path"]).name for file in written["files"]] == ["steps.csv", "series.csv", "batches.csv", "values.csv"]
    assert as_json(cli, "rm", "--older-than", "30d")["runs"] == []
    record(cli)
    done = cli("rm", run_id, "zzzz", "--format", "json")
    removed = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("rm")).validate(removed)
    assert done.returncode == 1 and removed["runs"] == [{"id": run_id, "trials": 0}] and "zzzz" in removed["problems"][0]
    assert len(cli.ids()) == 1


def test_json_of_doctor(cli):
    done = cli("doctor", "--format", "json")
    looked = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("doctor")).validate(looked)
    assert looked["ok"] == (done.returncode == 0)
    assert {"CPUs", "home", "hooks"} <= {check["name"] for check in looked["checks"]}


def test_hostile_names(cli):
    name = "\x1b[31m\n../../etc,\"é"
    run_id = record(cli, "--name", name)
    for args in (("show", run_id), ("compare", run_id, run_id)):
        assert "\x1b" not in text(cli, *args)
    assert b"\x1b" not in cli("ls").stdout
    assert as_json(cli, "ls")["runs"][0]["name"] == name
    assert as_json(cli, "show", run_id)["run"]["name"] == name
    assert cli("export", name).returncode == 0
    assert (cli.folder / f"flatout-{run_id}/steps.csv").exists(), "the id names the folder, never the name"


@pytest.mark.parametrize("verb", ["show", "export"])
def test_missing_runs(cli, verb):
    refused(cli, verb, "latest")
    record(cli)
    assert "zzzz" in refused(cli, verb, "zzzz")


def test_running_and_lost_runs(cli):
    process = running(cli)
    try:
        (run_id,) = cli.ids()
        assert "running" in text(cli, "show", run_id)
        assert as_json(cli, "compare", run_id, run_id)["runs"][0]["cautions"][0]["id"] == "still_running"
        assert cli("export", run_id).returncode == 0
        assert cli("tag", run_id, "live").returncode == 0
        old = cli("rm", "--older-than", "1m")
        assert old.returncode == 0 and cli.ids() == [run_id]
    finally:
        process.kill()
        process.wait(timeout=30)
    try:
        assert as_json(cli, "show", run_id)["run"]["state"] == "lost"
        assert as_json(cli, "ls", "--state", "lost")["runs"][0]["tags"] == ["live"]
        assert cli("export", run_id, "--force").returncode == 0
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_rm_older_than(cli):
    first, _ = record(cli), record(cli, "--name", "two")
    assert b"no run" in cli("rm", "--older-than", "30d").stderr and len(cli.ids()) == 2
    for bad in ("30", "x", "-1d", "0d", "1.5d", ""):
        done = cli("rm", f"--older-than={bad}")
        assert done.returncode != 0 and len(cli.ids()) == 2
    dry = cli("rm", first, "--dry-run")
    assert dry.stdout.decode() == f"would remove {first}\n" and len(cli.ids()) == 2


def test_rm_leaves_a_tune_that_goes_on_between_two_trials(cli):
    tune, later = record(cli), record(cli)

    def would_go():
        return [run["id"] for run in as_json(cli, "rm", "--older-than", "1s", "--dry-run")["runs"]]

    with open(cli.home / "runs" / tune / "tune.journal", "w") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)  # as a tune does while it goes on
        assert any(later in would_go() for _ in range(1000)), "both ended more than a second ago by then"
        assert would_go() == [later]
        assert "still going on" in refused(cli, "rm", tune)
        done = as_json(cli, "rm", "--older-than", "1s")
        assert [run["id"] for run in done["runs"]] == [later] and done["problems"] == []
        assert cli.ids() == [tune]
    assert would_go() == [tune]
    assert [run["id"] for run in as_json(cli, "rm", "--older-than", "1s")["runs"]] == [tune] and cli.ids() == []


def test_help_of_every_verb(cli):
    for verb in ("run", "ls", "show", "report", "compare", "export", "tag", "note", "rm", "doctor"):
        asked = cli("help", verb)
        assert asked.returncode == 0 and asked.stdout == cli(verb, "--help").stdout
        assert f"Usage: flatout {verb} ".encode() in asked.stdout
    assert "compare" in refused(cli, "help", "nonsense", status=2)
