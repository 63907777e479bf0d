"""No name or path that a script gives leads anything of track or capture to what is the user's: every call, with names that try to."""

import json
import os
import shutil
import sys
import types

import pytest

import canaries
import harness
import named_calls

ALLOWED = (ValueError, TypeError, KeyError, OSError, AttributeError)


class Scene:
    """The user's files in `user`, of which `work` is the working directory; ours in `ours`."""

    def __init__(self, root):
        self.user, self.ours = root / "user", root / "ours"
        self.work, self.elsewhere, self.out = self.user / "work", self.user / "elsewhere", root / "out"
        for folder in (self.work, self.elsewhere, self.ours / "tmp", self.ours / "store"):
            folder.mkdir(parents=True)
        self.files = canaries.plant(self.elsewhere)
        canaries.plant(self.work)
        (self.work / "lone").symlink_to(self.elsewhere)
        for name in ("artifacts", "wandb"):  # where wandb, too, puts what it makes
            (self.work / name).mkdir()
        self.clear()
        self.before, self.as_linked = self.seen(), os.listdir(self.out)
        self.names = canaries.hostile_names(self.files[:2], self.work)

    def seen(self):
        found = canaries.seen(self.user)
        return {name: what for name, what in found.items() if not name.startswith(("work/artifacts", "work/wandb"))}

    def clear(self):
        """A folder for downloads in which the user's links lead to the user's files."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        for name in ("lone", "a", "OUT"):
            (self.out / name).symlink_to(self.elsewhere)
        (self.out / "model.bin").symlink_to(self.elsewhere / "model.bin")
        (self.out / "data").symlink_to("../user/elsewhere/data")
        (self.out / "x").symlink_to(self.elsewhere / "x.json")
        (self.out / "x.json").symlink_to(self.elsewhere / "x.json")
        (self.out / "dangling").symlink_to(self.elsewhere / "made")

    def may_be_read(self, name):
        """A folder of the machine's, such as "/", would take its time."""
        try:
            return not os.path.isdir(name) or os.path.realpath(name).startswith(str(self.user))
        except ValueError:
            return True


@pytest.fixture
def scene(tmp_path, kept, monkeypatch):
    from flatout.track import _files

    scene = Scene(tmp_path)
    monkeypatch.chdir(scene.work)
    monkeypatch.setenv("TMPDIR", str(scene.ours / "tmp"))
    monkeypatch.setattr(kept.recording, "folder", str(scene.ours / "store"))
    monkeypatch.setattr(kept.recording, "file", lambda source, extension, shown=None: _files.keep(str(scene.ours / "store"), source, extension), raising=False)
    return scene


def walk(scene, label, call, errors=ALLOWED):
    """One call with every name: nothing of the user's differs after any of them, and nothing is opened to write elsewhere."""
    made = 0
    for name in scene.names:
        if not scene.may_be_read(name):
            continue
        with canaries.watched(scene.ours, scene.out, scene.work / "artifacts", scene.work / "wandb") as written:
            try:
                call(name)
                made += 1
            except errors:
                pass
        assert written == [], (label, name)
        assert scene.seen() == scene.before, (label, name)
        if os.listdir(scene.out) != scene.as_linked or not all(os.path.islink(scene.out / one) for one in scene.as_linked):
            scene.clear()
            scene.as_linked = os.listdir(scene.out)
    return made


@pytest.mark.parametrize("label", named_calls.CALLS)
def test_names_given_to_wandbs_calls_lead_nowhere(wandb, scene, label):
    from flatout.track.errors import Error

    run = wandb.init(project="p", dir=str(scene.work))
    call = named_calls.CALLS[label]
    walk(scene, label, lambda name: call(wandb, run, scene.files[0], str(scene.elsewhere / "data"), name, str(scene.out)), (*ALLOWED, Error))
    run.finish()
    assert scene.seen() == scene.before, label


@pytest.mark.parametrize("label", named_calls.NEPTUNE)
def test_names_given_to_neptunes_calls_lead_nowhere(kept, scene, label):
    from flatout.track import neptune
    from flatout.track.errors import Error

    call = named_calls.NEPTUNE[label]
    with neptune.init_run(custom_run_id="r") as run:
        walk(scene, label, lambda name: call(run, scene.files[0], str(scene.elsewhere / "data"), name), (*ALLOWED, Error))
    assert scene.seen() == scene.before, label


def test_names_given_to_neptunes_init_lead_nowhere(kept, scene):
    from flatout.track import neptune

    def call(name):
        for given in ({"custom_run_id": name}, {"with_id": name}, {"source_files": name}, {"project": name, "name": name, "monitoring_namespace": name}):
            neptune.init_run(**given).stop()

    assert walk(scene, "init_run", call)


MLFLOW = {
    "log_artifact(artifact_path)": lambda tee, file, folder, name: tee._artifact(None, None, "r", file, name),
    "log_artifact(path)": lambda tee, file, folder, name: tee._artifact(None, None, "r", name),
    "log_artifacts(artifact_path)": lambda tee, file, folder, name: tee._artifacts(None, None, "r", folder, name),
    "log_artifacts(path)": lambda tee, file, folder, name: tee._artifacts(None, None, "r", name, "at"),
    "log_text": lambda tee, file, folder, name: tee._text(None, None, "r", "of the program", name),
    "log_dict": lambda tee, file, folder, name: tee._dict(None, None, "r", {name: name}, name),
    "log_image": lambda tee, file, folder, name: tee._image(None, None, "r", [[0.0, 1.0]], name),
    "log_param": lambda tee, file, folder, name: tee._param(None, None, "r", name, name),
    "log_metric": lambda tee, file, folder, name: tee._metric(None, None, "r", name, 1.0),
    "set_tag": lambda tee, file, folder, name: tee._tag(None, None, "r", name, name),
    "update_run": lambda tee, file, folder, name: tee._updated(None, None, "r", name=name),
    "run_id": lambda tee, file, folder, name: tee._text(None, None, name, "of the program", "note.txt"),
}


@pytest.mark.parametrize("label", MLFLOW)
def test_what_mlflow_is_given_leads_nowhere(kept, scene, label):
    from flatout.capture import mlflow

    assert walk(scene, label, lambda name: MLFLOW[label](mlflow, scene.files[0], str(scene.elsewhere / "data"), name))
    for run in list(mlflow._runs.values()):
        run.finish()


def test_what_a_summary_writer_is_given_leads_nowhere(kept, scene):
    from flatout.capture import tensorboard

    class Writer:
        log_dir = ""

    def call(name):
        writer = Writer()
        writer.log_dir = name
        tensorboard._scalar(None, writer, name, 1.0, 0)
        tensorboard._text(None, writer, name, name, 0)
        tensorboard._image(None, writer, name, __import__("numpy").zeros((3, 2, 2)), 0)
        tensorboard._hparams(None, writer, {name: name}, {name: 1.0})
        tensorboard._closed(None, writer)

    assert walk(scene, "SummaryWriter", call)


def test_what_a_real_artifact_of_wandbs_holds_leads_nowhere(kept, scene):
    """Early versions of wandb took any name for an entry: such a one is left out, and the others are kept."""
    from flatout.capture import wandb as tee
    from flatout.track._run import Run
    from flatout.track.settings import Asked

    class Real:
        pass

    def call(name):
        run, asked = Real(), Asked()
        asked.id = "r"
        tee._mirrors[run] = Run(asked)
        entry = types.SimpleNamespace(local_path=scene.files[0], ref=None)
        other = types.SimpleNamespace(local_path=None, ref="s3://bucket/x")
        manifest = types.SimpleNamespace(entries={name: entry, name + "/r": other, "fine.bin": entry})
        result = types.SimpleNamespace(name=name, type=name, description=name, metadata={name: name}, manifest=manifest)
        since = len(kept.entries)
        tee._artifact(result, run, None)
        assert "fine.bin" in [fact["path"] for fact in kept.facts("track_file", since)]
        tee._saved(None, run, name)
        tee._logged(None, run, {name: 1.0})
        tee._finished(None, run)

    assert walk(scene, "tee", call) > 50


def test_in_a_script_that_imports_only_wandb(tmp_path):
    """Under --capture wandb, without wandb: the same calls, with every name, over the native recording."""
    scene = Scene(tmp_path)
    (tmp_path / "names.json").write_text(json.dumps([scene.files[0], str(scene.elsewhere / "data"), str(scene.out), scene.names[::3]]))
    env = harness.environment(PYTHONPATH=harness.ROOT / "tests/track_api", TMPDIR=scene.ours / "tmp", WANDB_SILENT="true")
    done = harness.run_observed([sys.executable, harness.ROOT / "tests/track_api/programs/hostile_names.py", tmp_path / "names.json", tmp_path],
                                scene.ours / "home", env=env, cwd=scene.work, options=["--no-bench", "--capture", "wandb,neptune"])
    assert done.code == 0, done.err.decode()
    calls, raised = json.loads(done.out.splitlines()[-1])
    assert calls == len(named_calls.CALLS) + len(named_calls.NEPTUNE) and raised
    assert scene.seen() == scene.before
    assert not list((scene.ours / "tmp").glob("flatout-artifact-*"))
