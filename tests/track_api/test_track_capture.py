"""`flatout run --capture`: unmodified programs, with the real trackers and without them."""

import json
import subprocess
import sys

import pytest

import harness

PROGRAMS = harness.ROOT / "tests/track_api/programs"
TRACKERS = harness.ROOT / "build/trackers"
PATHS = [harness.ROOT / "tests/track_api", harness.ROOT / "tests"]


def observed(program, folder, *options, trackers=False, environment=None, arguments=()):
    """(outcome, what was kept): of a program under flatout run, over the recording that is a list."""
    folder.mkdir(exist_ok=True)
    paths = [*PATHS, *([TRACKERS] if trackers else [])]
    env = harness.environment(FAKE_RECORDING=folder / "fake", FAKE_RECORDING_FOLDER=folder, PYTHONPATH=":".join(map(str, paths)), WANDB_MODE="offline",
                              WANDB_SILENT="true", WANDB_DIR=folder, **(environment or {}))
    done = harness.run_observed([sys.executable, PROGRAMS / program, folder, *arguments], folder / "flatout", env=env, cwd=folder,
                                options=["--no-bench", *options])
    lines = (folder / "fake").read_text().splitlines() if (folder / "fake").exists() else []
    return done, [json.loads(line)[1:] for line in lines]


def facts(kept, key):
    return [entry[2] for entry in kept if entry[0] == "fact" and entry[1] == key]


def points(kept, name):
    return [(step, value) for kind, *rest in kept if kind == "value" for _, step, key, value in [rest] if key == name]


def need(package):
    if not (TRACKERS / package).is_dir():
        pytest.skip(f"{package} is not in build/trackers; `make test` fetches it")


@pytest.mark.parametrize("real", [False, True], ids=["shim", "tee"])
def test_wandb_without_an_edit(tmp_path, real):
    if real:
        need("wandb")
    done, kept = observed("wandb_calls.py", tmp_path / "observed", "--capture", "wandb", trackers=real)
    assert done.code == 0, done.err.decode()
    run = facts(kept, "track_run")[-1]
    assert (run["project"], run["name"], run["tags"], run["group"], run["job_type"], run["notes"]) == ("digits", "first", ["base"], "g", "train", "n")
    config = {}
    for fact in facts(kept, "track_config"):
        config.update(fact["set"])
    assert config == {"lr": 0.1, "model": {"depth": 18}, "late": 1}
    assert points(kept, "loss") == [(0, 1.0), (1, 0.5), (2, 1 / 3)] and points(kept, "nested.acc") == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert points(kept, "epoch") == [(3, 1.0)] and points(kept, "val/acc") == [(3, 0.9)]
    assert facts(kept, "track_metric")[0] == {"track": 0, "name": "val/*", "step_metric": "epoch", "summary": "max"}
    rows = {}
    for fact in facts(kept, "track_row"):
        rows.update(fact["data"])
    assert rows["said"] == "hello" and rows["table"]["_type"] == "table" and rows["h"]["_type"] == "histogram" and sum(rows["h"]["values"]) == 3
    assert {"best": 0.9} in [fact["set"] for fact in facts(kept, "track_summary")]
    assert facts(kept, "track_alert")[0]["level"] == "WARN" and facts(kept, "track_end")[-1]["exit_code"] == 0
    if real:  # the real one does what it did
        plain = harness.run_plain([sys.executable, PROGRAMS / "wandb_calls.py", tmp_path], cwd=tmp_path, env=harness.environment(
            PYTHONPATH=":".join(map(str, [*PATHS, TRACKERS])), WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=tmp_path / "observed"))
        assert (plain.code, plain.out) == (done.code, done.out)
        assert len(list((tmp_path / "observed/wandb").glob("offline-run-*/run-*.wandb"))) == 2


def test_without_capture_there_is_no_wandb(tmp_path):
    done, kept = observed("wandb_calls.py", tmp_path / "observed")
    assert done.code == 1 and b"No module named 'wandb'" in done.err and kept == []


def test_trainer_of_hugging_face_reports_by_its_own_callback(tmp_path):
    done, kept = observed("hf_trainer.py", tmp_path / "observed", "--capture=wandb")
    assert done.out.endswith(b"trained 8\n"), done.err.decode()
    (run,) = facts(kept, "track_run")
    assert (run["project"], run["name"], run["source"]) == ("huggingface", "digits", "wandb")
    assert [value for _, value in points(kept, "train/global_step")] == [2, 4, 4, 6, 8, 8, 8]
    assert len(points(kept, "train/loss")) == 4 and len(points(kept, "eval/loss")) == 2
    assert {"name": "*", "step_metric": "train/global_step", "step_sync": True, "track": 0} in facts(kept, "track_metric")
    config = facts(kept, "track_config")[0]["set"]
    assert config["per_device_train_batch_size"] == 4
    assert "train_runtime" in {key for fact in facts(kept, "track_summary") for key in fact["set"]}
    assert b"flatout" not in done.out


def test_lightnings_own_logger(tmp_path):
    done, kept = observed("lightning_logger.py", tmp_path / "observed", "--capture=wandb")
    assert done.out.endswith(b"trained 8\n"), done.err.decode()
    run = facts(kept, "track_run")[0]
    assert (run["project"], run["name"], run["tags"]) == ("digits", "first", ["a"])
    assert len(points(kept, "train/loss")) == 8 and len(points(kept, "val/loss")) == 2
    assert facts(kept, "track_config")[0]["set"] == {"width": 4}
    rows = {key: value["_type"] if isinstance(value, dict) else value[0]["_type"] for fact in facts(kept, "track_row") for key, value in
            fact["data"].items()}
    assert rows["gradients/inner.weight"] == "histogram" and rows["samples"] == "table" and rows["picture"] == "image"
    assert facts(kept, "track_end") == [{"track": 0, "exit_code": 0}]


def test_tensorboards_writer(tmp_path):
    need("tensorboardX")
    done, kept = observed("tensorboard_calls.py", tmp_path / "observed", "--capture", "tensorboard", trackers=True)
    assert done.code == 0, done.err.decode()
    (run,) = facts(kept, "track_run")
    assert (run["source"], run["name"]) == ("tensorboard", "events")
    assert points(kept, "loss") == [(0, 1.0), (1, 0.5), (2, 1 / 3)] and points(kept, "both/b") == [(3, 2.0)]
    rows = {}
    for fact in facts(kept, "track_row"):
        rows.update(fact["data"])
    assert rows["said"] == "hello" and rows["picture"]["_type"] == "image" and sum(rows["weights"]["values"]) == 100
    assert facts(kept, "track_config")[0]["set"] == {"lr": 0.1, "depth": 18} and facts(kept, "track_summary")[0]["set"] == {"best": 0.9}
    assert list((tmp_path / "observed/events").rglob("events.out*"))


def test_neptune_where_its_client_is_missing(tmp_path):
    done, kept = observed("neptune_calls.py", tmp_path / "observed", "--capture=neptune")
    assert done.code == 0, done.err.decode()
    run = facts(kept, "track_run")[-1]
    assert (run["source"], run["id"], run["tags"]) == ("neptune", "night-7", ["base", "late"]) and run["namespace"].startswith("monitoring/")
    assert points(kept, "train/loss") == [(0, 0.5), (10, 0.25)] and points(kept, "train/acc") == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert facts(kept, "track_config")[0]["set"] == {"parameters": {"lr": 0.1, "model": {"depth": 18}}}
    assert facts(kept, "track_file")[0]["path"] == "notes"


STUB = '''
class Info:
    run_id, run_name = "r1", "first"
class Made:
    info = Info()
class MlflowClient:
    def create_run(self, experiment_id, start_time=None, tags=None, run_name=None): return Made()
    def log_metric(self, run_id, key, value, timestamp=None, step=None, synchronous=None): self.inner(); return "result"
    def inner(self): MlflowClient.log_param(self, "r1", "inside", 1)
    def log_param(self, run_id, key, value, synchronous=None): return value
    def set_terminated(self, run_id, status=None, end_time=None): raise RuntimeError("the server is away")
'''


def test_a_tee_gives_back_what_the_original_gives_and_raises(tmp_path):
    """On a stand-in for MLflow's client: the real one is used by test_real_mlflow_and_neptune."""
    package = tmp_path / "mlflow/tracking"
    package.mkdir(parents=True)
    (tmp_path / "mlflow/__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "client.py").write_text(STUB)
    program = tmp_path / "program.py"
    program.write_text("import fake_recording\nfrom mlflow.tracking.client import MlflowClient\nimport mlflow.tracking.client as m, inspect\n"
                       "c = MlflowClient()\nassert c.create_run('0', run_name='x').info.run_id == 'r1'\n"
                       "assert c.log_metric('r1', 'loss', 0.5, step=3) == 'result' and c.log_param('r1', 'lr', 2) == 2\n"
                       "assert m.__loader__ is m.__spec__.loader and type(m.__loader__).__name__ == 'SourceFileLoader'\n"
                       "assert 'log_metric(self, run_id' in inspect.getsource(MlflowClient.log_metric)\n"
                       "assert str(inspect.signature(MlflowClient.log_param)) == '(self, run_id, key, value, synchronous=None)'\n"
                       "try:\n    c.set_terminated('r1')\nexcept RuntimeError as error:\n    print(error)\n")
    env = harness.environment(FAKE_RECORDING=tmp_path / "fake", PYTHONPATH=f"{tmp_path}:{PATHS[0]}")
    done = harness.run_observed([sys.executable, program], tmp_path / "flatout", env=env, options=["--capture", "mlflow"])
    assert (done.code, done.out) == (0, b"the server is away\n"), done.err.decode()
    kept = [json.loads(line)[1:] for line in (tmp_path / "fake").read_text().splitlines()]
    assert points(kept, "loss") == [(3, 0.5)] and [fact["set"] for fact in facts(kept, "track_config")] == [{"lr": 2}]


@pytest.mark.slow
@pytest.mark.parametrize("tracker", ["mlflow", "neptune", "tensorboard"])
def test_real_mlflow_and_neptune(tmp_path, tracker):
    """Their clients with all that they need are 600 MB, and import for seconds (bench/track_venv.sh makes the environment)."""
    python = harness.ROOT / "build/peers_track/bin/python"
    if not python.exists():
        pytest.skip("the real clients are not in build/peers_track; bench/track_venv.sh puts them there")
    env = harness.environment(FAKE_RECORDING=tmp_path / "fake", FAKE_RECORDING_FOLDER=tmp_path, PYTHONPATH=PATHS[0])
    done = harness.run_observed([python, PROGRAMS / f"{tracker}_calls.py", tmp_path], tmp_path / "flatout", env=env, cwd=tmp_path,
                                options=["--capture", tracker])
    assert done.code == 0, done.err.decode()
    kept = [json.loads(line)[1:] for line in (tmp_path / "fake").read_text().splitlines()]
    assert points(kept, {"mlflow": "loss", "neptune": "train/loss", "tensorboard": "loss"}[tracker])
    assert len(facts(kept, "track_file")) >= (tracker != "tensorboard") and facts(kept, "track_end")[-1]["exit_code"] == 0


def test_a_broken_package_costs_a_line(tmp_path):
    """Its own error is the program's; a module that is not what the tee expects is left alone."""
    (tmp_path / "wandb.py").write_text("def init():\n    return 7\n")
    env = harness.environment(PYTHONPATH=tmp_path)
    done = harness.run_observed([sys.executable, "-c", "import wandb; print(wandb.init())"], tmp_path / "flatout", env=env,
                                options=["--capture", "wandb"])
    assert (done.code, done.out) == (0, b"7\n") and b"not captured" in done.err


def test_children_and_workers_have_it_too(tmp_path):
    program = "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', 'import wandb; print(wandb.__version__)']))"
    done = harness.run_observed([sys.executable, "-c", program], tmp_path / "flatout", options=["--capture", "wandb"])
    assert done.code == 0 and done.out.count(b".") == 2, done.err.decode()


def test_modules_of_wandb_and_neptune_that_others_import(tmp_path):
    """As Hugging Face's, Lightning's and accelerate's integrations do, which look at the installed packages, too."""
    program = """
import importlib, importlib.metadata, importlib.util
for name in ("wandb", "neptune"):
    assert importlib.util.find_spec(name) and importlib.metadata.metadata(name)["Name"] == name and importlib.metadata.version(name)
for name in ("wandb.sdk.lib", "wandb.wandb_run", "wandb.sdk.lib.config_util", "wandb.sdk.lib.runid", "wandb.util", "wandb.errors", "wandb.env",
             "wandb.plot", "wandb.data_types", "wandb.apis.public", "wandb.sdk.wandb_run", "wandb.sdk.data_types", "wandb.sdk.wandb_settings",
             "wandb.sdk.artifacts.artifact", "neptune.types", "neptune.utils", "neptune.exceptions", "neptune.handler", "neptune.new.types",
             "neptune.new.utils", "neptune.new.exceptions", "neptune.internal.utils", "neptune.metadata_containers"):
    importlib.import_module(name)
from wandb import Artifact, Image, AlertLevel, Settings
from neptune.exceptions import NeptuneMissingApiTokenException
import wandb
assert len(wandb.util.generate_id()) == 8 and wandb.run is None
try:
    wandb.sklearn
except AttributeError as error:
    assert "docs/track.md" in str(error)
print("all")
"""
    done = harness.run_observed([sys.executable, "-c", program], tmp_path, options=["--capture", "wandb,neptune"])
    assert (done.code, done.out) == (0, b"all\n"), done.err.decode()


def test_options_that_make_no_sense(tmp_path):
    for options, said in ((["--capture", "comet"], "comet"), (["--capture", "wandb", "--no-hooks"], "--no-hooks")):
        done = subprocess.run([harness.flatout_bin(), "run", *options, "--", "true"], capture_output=True, text=True, timeout=60,
                              env=harness.environment(FLATOUT_HOME=tmp_path))
        assert done.returncode == 2 and said in done.stderr
