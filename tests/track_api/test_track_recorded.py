"""flatout.track over the native recording, end to end: what `flatout ls` and the run's folder have afterwards."""

import subprocess
import sys

import harness

PROGRAMS = harness.ROOT / "tests/track_api/programs"


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
                  "with t.init(project='digits', name='own', config={'lr': 0.1, 'm': {'d': 3}}, tags=['x']) as run:\n"
                  "    for step in range(50): t.log({'loss': 1 / (step + 1)})\n"
                  "    t.log({'picture': t.Image([[0.0, 1.0]]), 'said': 'hello'})\n"
                  "print(run.flatout_run)", tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = ended(tmp_path / "home")
    assert (run["id"], run["name"], run["state"]) == (done.stdout.strip(), "own", "finished")
    tracked = run["tracked"]
    assert (tracked["project"], tracked["tags"], tracked["config"]) == ("digits", ["x"], {"lr": 0.1, "m": {"d": 3}})
    assert tracked["summary"]["loss"] == 0.02
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
    refused = python("import flatout.track as t\nt.init(id='other', resume='must')\nt.finish()\n"
                     "try: t.init(id='hard', resume='never')\nexcept t.UsageError as error: print(error)", tmp_path)
    assert "is in the store" in refused.stdout and "no ended run of that id" in refused.stderr
    behind = python("import flatout.track as t\nrun = t.init(resume_from='hard?_step=4')\nprint(run.id, run.step)", tmp_path)
    assert behind.stdout == "hard 5\n" and "stays, too" in behind.stderr


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
