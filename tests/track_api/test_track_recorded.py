"""flatout.track over the native recording, end to end: what `flatout ls` and the run's folder have afterwards."""

import csv
import json
import subprocess
import sys

import harness

sys.path.insert(0, str(harness.ROOT / "tests/ui"))
from ui_server import UiServer  # noqa: E402

PROGRAMS = harness.ROOT / "tests/track_api/programs"


def flatout(home, *words):
    done = subprocess.run([harness.flatout_bin(), *words], env=harness.environment(FLATOUT_HOME=home), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def ended(home, seconds=20):
    """The runs, once each is described: a recorder ends a moment after its process."""

    def described():
        found = harness.runs(home)
        return found if all("tracked" in run for run in found) else []

    return harness.wait_for(described, seconds, "no run, or one that is not described", pause_s=0.05)


def python(code, tmp_path, **environment):
    env = harness.environment(FLATOUT_HOME=tmp_path / "home", PYTHONPATH=harness.ROOT / "python", FLATOUT_BIN=harness.flatout_bin(), **environment)
    return subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)


def test_without_flatout_run_around_it(tmp_path):
    done = python("import flatout.track as t\n"
                  "with t.init(project='digits', name='own', config={'lr': 0.1, 'm': {'d': 3}}, tags=['x'], notes='why it was run') as run:\n"
                  "    for step in range(50): t.log({'loss': 1 / (step + 1)})\n"
                  "    t.log({'picture': t.Image([[0.0, 1.0]]), 'said': 'hello'})\n"
                  "print(run.flatout_run)", tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = ended(tmp_path / "home")
    assert (run["id"], run["name"], run["state"]) == (done.stdout.strip(), "own", "finished")
    tracked = run["tracked"]
    assert (tracked["project"], tracked["tags"], tracked["config"]) == ("digits", ["x"], {"lr": 0.1, "m": {"d": 3}})
    assert tracked["summary"]["loss"] == 0.02
    # Tags of the script are found and shown as those that are set later, and stay.
    home = tmp_path / "home"
    assert run["id"] in flatout(home, "ls", "--tag", "x") and " x " in flatout(home, "ls").replace("\n", " ")
    shown = flatout(home, "show", run["id"])
    assert "why it was run" in shown and "Tags" in shown
    assert flatout(home, "tag", run["id"], "y") == f"{run['id']}: x (set by the script), y\n"
    assert "x (set by the script)" in flatout(home, "tag", run["id"], "x", "y", "--remove")
    (picture,) = (tmp_path / "home/runs" / run["id"] / "files").iterdir()
    assert picture.suffix == ".png" and picture.read_bytes().startswith(b"\x89PNG")


def test_artifacts_lie_in_the_store_alone(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"weights")
    (tmp_path / "tmp").mkdir()
    done = python("import flatout.track as t\nrun = t.init()\na = t.Artifact('m', type='model')\na.add_file('model.bin')\n"
                  "a.add(t.Table(columns=['a'], data=[[1]]), 'one')\na.add(t.Table(columns=['b'], data=[[2]]), 'two')\n"
                  "run.log_artifact(a)\nprint(open(run.use_artifact('m:latest').download('out') + '/model.bin').read())\n"
                  "t.Artifact('left', type='x').add_file('model.bin')", tmp_path, TMPDIR=tmp_path / "tmp")
    assert (done.returncode, done.stdout) == (0, "weights\n"), done.stderr
    ended(tmp_path / "home")
    kept = {path.read_bytes() for path in (tmp_path / "home/runs").glob("*/files/*")}
    assert b"weights" in kept and len(kept) == 5  # two tables, each as a file and as what the artifact says of it
    assert list((tmp_path / "tmp").iterdir()) == []


def test_captured_under_flatout_run(tmp_path):
    env = harness.environment(PYTHONPATH=harness.ROOT / "tests/track_api")
    done = harness.run_observed([sys.executable, PROGRAMS / "wandb_calls.py"], tmp_path, env=env, cwd=tmp_path, options=["--capture", "wandb"])
    assert (done.code, done.out) == (0, b"done\n"), done.err.decode()
    (run,) = harness.runs(tmp_path / "home")
    assert run["tracked"]["name"] == "first" and run["tracked"]["config"]["model"] == {"depth": 18}
    assert run["tracked"]["summary"]["best"] == 0.9


def test_an_exception_and_a_process_that_ends_without_finish(tmp_path):
    done = python("import flatout.track as t\nt.init(name='broken')\nt.log({'a': 1})\nraise ValueError('no')", tmp_path)
    assert done.returncode == 1 and "ValueError: no" in done.stderr
    (run,) = ended(tmp_path / "home")
    assert run["state"] == "failed" and run["tracked"]["summary"] == {"_step": 0, "a": 1.0}


def test_a_resumed_run_goes_on_behind_its_last_step(tmp_path):
    code = ("import flatout.track as t\nrun = t.init(id='long', resume='allow')\nprint(run.starting_step, run.resumed)\n"
            "for at in range(5): t.log({'loss': at})\nt.log({'text': 'x'})\nt.finish()")
    assert python(code, tmp_path).stdout == "0 False\n"
    ended(tmp_path / "home")
    assert python(code, tmp_path).stdout == "6 True\n"
    assert [run["tracked"]["id"] for run in ended(tmp_path / "home")] == ["long"] * 2
    assert max(run["tracked"]["summary"]["_step"] for run in ended(tmp_path / "home")) == 11
    assert python(code.replace("id='long', resume='allow'", ""), tmp_path).stdout == "0 False\n"


def test_a_killed_run_is_resumed_with_its_config_and_summary(tmp_path):
    first = ("import flatout.track as t, os, signal\nrun = t.init(id='hard', config={'lr': 0.1, 'long': 'x' * 70000})\n"
             "for at in range(7): t.log({'loss': at / 2})\nos.kill(os.getpid(), signal.SIGKILL)")
    assert python(first, tmp_path).returncode == -9
    (row,) = ended(tmp_path / "home")
    assert row["tracked"]["config"]["long"] == "x" * 1024 + "..."
    again = ("import flatout.track as t\nrun = t.init(id='hard', resume='must', config={'wd': 1})\n"
             "print(run.step, run.resumed, sorted(run.config.keys()), run.config.lr, run.summary['loss'])\nt.log({'loss': 9})\nt.finish()\n"
             "run = t.init(id='hard', resume='must')\nprint(run.step, run.summary['loss'], run.config.wd)")
    done = python(again, tmp_path)
    assert done.stdout == "7 True ['lr', 'wd'] 0.1 3.0\n8 9 1\n", done.stderr
    ended(tmp_path / "home")
    refused = python("import flatout.track as t\n"
                     "for id, resume in (('other', 'must'), ('hard', 'never')):\n"
                     "    try: t.init(id=id, resume=resume)\n"
                     "    except t.UsageError as error: print(error)\n"
                     "print(t.init(id='other', resume='must', mode='offline').step)", tmp_path)
    must, never, step = refused.stdout.splitlines()
    assert "no run of that id is in the store" in must and "a run of that id is in the store" in never and step == "0", refused.stderr
    assert "wandb, too, does not look where it is offline" in refused.stderr


def shown(tmp_path, run):
    done = subprocess.run([harness.flatout_bin(), "show", run, "--format", "json"], env=harness.environment(FLATOUT_HOME=tmp_path / "home"),
                          capture_output=True, timeout=60)
    return json.loads(done.stdout)["tracked"]


def exported(tmp_path, run):
    """step -> value of each name."""
    out = tmp_path / f"csv-{run}"
    subprocess.run([harness.flatout_bin(), "export", run, "--out", out], env=harness.environment(FLATOUT_HOME=tmp_path / "home"), check=True,
                   capture_output=True, timeout=60)
    found = {}
    with open(out / "values.csv", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["name"], {})[int(row["step"])] = (float(row["value"]), float(row["time_s"]))
    return found


PARENT = """import flatout.track as t, time
run = t.init(id='parent', project='p', config={'lr': 0.1, 'deep': {'a': 1, 'b': 2}})
run.define_metric('acc', summary='max')
for at in range(10): t.log({'loss': 10 - at, 'acc': 1 / (at + 1), 'said': f'row {at}'})
t.log({'picture': t.Image([[0.0, 1.0]]), 'cells': t.Table(columns=['one'], data=[[t.Image([[1.0, 0.0]])]])}, step=20)
time.sleep(0.2)
t.log({'loss': 0.5}, step=20)
t.finish()
"""


def test_a_fork_shows_the_history_of_its_parent(tmp_path):
    """In a store of its own it has nothing but its own, and says so; in the parent's, the parent's up to the step, also once that is gone."""
    done = python(PARENT + "for step in (5, 20):\n"
                  "    run = t.init(id=f'child{step}', fork_from=f'parent?_step={step}', config={'lr': 0.2, 'deep': {'b': 3}})\n"
                  "    print(run.step, run.resumed, run.config.lr, run.config.deep)\n"
                  "    for at in range(3): t.log({'loss': 100 + at})\n"
                  "    t.finish()\n", tmp_path)
    assert done.stdout == "6 False 0.2 {'b': 3}\n21 False 0.2 {'b': 3}\n", done.stderr
    parents = {run["tracked"]["id"]: run for run in ended(tmp_path / "home")}
    child, late = parents["child5"], parents["child20"]
    tracked = child["tracked"]
    assert (tracked["branch"], tracked["from"], tracked["from_step"]) == ("fork", "parent", 5)
    assert tracked["config"] == {"lr": 0.2, "deep": {"a": 1, "b": 3}}
    assert tracked["summary"] == {"_step": 8, "acc": {"max": 1.0}, "loss": 102.0}
    (whole,) = shown(tmp_path, child["id"])
    assert whole["branch"] == {"kind": "fork", "from": "parent", "from_step": 5, "values": 12, "rows": 6, "recordings": [parents["parent"]["id"]]}
    assert {one["name"]: (one["count"], one["first_step"], one["last_step"]) for one in whole["series"]} == {"loss": (9, 0, 8), "acc": (6, 0, 5)}
    found = exported(tmp_path, child["id"])
    assert {step: value for step, (value, _) in found["loss"].items()} == {**{at: 10 - at for at in range(6)}, 6: 100, 7: 101, 8: 102}
    times = [found["loss"][step][1] for step in sorted(found["loss"])]
    assert times == sorted(times)  # the history lies before the run's own
    home = harness.environment(FLATOUT_HOME=tmp_path / "home")
    page = subprocess.run([harness.flatout_bin(), "report", child["id"]], env=home, capture_output=True, text=True, timeout=60)
    assert "forked from parent at step 5" in " ".join(page.stdout.split())
    with UiServer(tmp_path / "home") as server:
        run = server.get(f"/runs/{child['id']}")
        (loss,) = [one for one in run["series"] if one["name"] == "loss"]
        by_step, by_time = (server.get(f"/runs/{child['id']}/series", key=loss["key"], x=axis)["series"][0] for axis in ("step", "time"))
        assert (by_step["x"], by_step["last"]) == ([*range(9)], [10, 9, 8, 7, 6, 5, 100, 101, 102])
        assert by_time["last"][-3:] == [100, 101, 102] and by_time["x"] == sorted(by_time["x"])
        assert next(one["first_ms"] for one in server.get(f"/runs/{late['id']}")["series"] if one["name"] == "acc") < 0
        assert run["tracked"][0]["branch"]["values"] == 12 and run["row"]["tracked"]["from"] == "parent"
    # The picture, the table and the picture in its cell are the late child's own files, whatever becomes of the parent.
    subprocess.run([harness.flatout_bin(), "rm", parents["parent"]["id"]], env=home, check=True, capture_output=True, timeout=60)
    assert sorted(path.read_bytes()[:1] for path in (tmp_path / "home/runs" / late["id"] / "files").iterdir()) == [b"{", b"\x89", b"\x89"]
    alone = python("import flatout.track as t\nrun = t.init(fork_from='parent?_step=5')\nprint(run.step)\nt.log({'loss': 1})\n"
                   "import time\ntime.sleep(0.3)\nt.finish()", tmp_path)
    assert alone.stdout == "6\n" and "the run begins without a history: no run of that id is in" in alone.stderr


def test_a_rewind_takes_out_what_came_after_its_step(tmp_path):
    """In one process, where the earlier part stays in the same recording, and in another one."""
    code = PARENT + ("run = t.init(resume_from='parent?_step=4')\nprint(run.id, run.step, run.resumed)\n"
                     "for at in range(2): t.log({'loss': 50 + at})\nt.finish()\n")
    done = harness.run_observed([sys.executable, "-c", code], tmp_path, env=harness.environment(PYTHONPATH=harness.ROOT / "python"))
    assert (done.code, done.out) == (0, b"parent 5 True\n"), done.err.decode()
    (first,) = harness.runs(tmp_path / "home")
    loss = {**{at: 10 - at for at in range(5)}, 5: 50, 6: 51}
    (whole,) = shown(tmp_path, first["id"])
    assert {one["name"]: one["count"] for one in whole["series"]} == {"loss": 7, "acc": 5}
    assert whole["summary"]["loss"] == 51 and whole["summary"]["_step"] == 6 and whole["counts"]["rows"] == 5
    assert whole["branch"]["kind"] == "rewind" and whole["branch"]["recordings"] == [first["id"]]
    assert {step: value for step, (value, _) in exported(tmp_path, first["id"])["loss"].items()} == loss
    again = python("import flatout.track as t\nrun = t.init(resume_from='parent?_step=5')\nprint(run.step)\nt.log({'loss': 70})\nt.finish()\n"
                   "run = t.init(id='parent', resume='must')\nprint(run.step)\n", tmp_path)
    assert again.stdout == "6\n7\n", again.stderr
    ended(tmp_path / "home")
    resumed = next(run for run in harness.runs(tmp_path / "home") if run["tracked"].get("from_step") == 5)
    found = exported(tmp_path, resumed["id"])["loss"]
    assert {step: value for step, (value, _) in found.items()} == {**{at: 10 - at for at in range(5)}, 5: 50, 6: 70}


def test_processes_of_one_run(tmp_path):
    """Ranks of a job under flatout run: one tracked run, written by each."""
    rank = ("import flatout.track.neptune as n, sys; run = n.init_run(custom_run_id='night', monitoring_namespace='monitoring/' + sys.argv[1]); "
            "run['rank/' + sys.argv[1]].append(float(sys.argv[1])); run.stop()")
    program = f"import subprocess, sys\nfor p in [subprocess.Popen([sys.executable, '-c', {rank!r}, str(at)]) for at in range(3)]: assert p.wait() == 0"
    env = harness.environment(PYTHONPATH=harness.ROOT / "python")
    done = harness.run_observed([sys.executable, "-c", program], tmp_path, env=env)
    assert done.code == 0, done.err.decode()
    (run,) = harness.runs(tmp_path / "home")
    assert run["tracked"]["id"] == "night" and run["tracked"]["summary"] == {"rank/0": 0.0, "rank/1": 1.0, "rank/2": 2.0}


def test_a_trial_tracks_nothing(tmp_path):
    """Trials of tune are thrown away; their environment also has WANDB_MODE=disabled."""
    for variable, value in (("FLATOUT_TRIAL", "1"), ("WANDB_MODE", "disabled")):
        done = python("import flatout.track as t\nt.init()\nt.log({'a': 1})\nt.finish()\n"
                      "import flatout.track.neptune as n\nn.init_run(mode='debug')['a'].append(1)", tmp_path, **{variable: value})
        assert done.returncode == 0 and harness.runs(tmp_path / "home") == []
