"""The names and arguments of flatout.track beside those of the real wandb, read from its sources: it is not imported."""

import ast
import importlib.util
import inspect
import pathlib
import subprocess
import sys

import pytest

import harness

TRACKERS = harness.ROOT / "build/trackers"
# wandb has them, flatout.track has not, and docs/track.md says so.
ABSENT = {"sdk"}
ABSENT_OF_RUN: set = set()


def wandb_file(name):
    if not (TRACKERS / "wandb").is_dir():
        pytest.skip("wandb is not in build/trackers; `make test` fetches it")
    return ast.parse((TRACKERS / "wandb" / name).read_text())


def arguments(function):
    """Names in order, without self."""
    args = function.args
    return [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs) if one.arg not in ("self", "cls")]


def lacks(ours, names):
    parameters = inspect.signature(ours).parameters
    return [name for name in names if name not in parameters]


def order_differs(ours, names):
    """Where a positional call would mean something else."""
    own = [name for name, one in inspect.signature(ours).parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD and name != "self"]
    return own[:len(names)] != names[:len(own)] and own[:len(names)]


def test_the_module_has_every_name_of_wandbs(wandb):
    tree = wandb_file("__init__.pyi")
    names = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    assert [name for name in names if not hasattr(wandb, name)] == []
    assert len(names) > 40


def test_functions_take_wandbs_arguments(wandb):
    functions = [node for node in wandb_file("__init__.pyi").body if isinstance(node, ast.FunctionDef)]
    assert len(functions) > 20
    for function in functions:
        if function.name.startswith("_"):
            continue
        wanted, ours = arguments(function), getattr(wandb, function.name)
        if function.name in ("log", "save", "define_metric", "log_artifact", "use_artifact", "log_model", "use_model", "link_model", "watch",
                             "unwatch"):
            ours = getattr(wandb.Run, function.name)  # those of the module are the run's
        assert lacks(ours, wanted) == [] and not order_differs(ours, wanted), function.name


def test_init_has_the_25_arguments(wandb):
    (init,) = [node for node in wandb_file("__init__.pyi").body if isinstance(node, ast.FunctionDef) and node.name == "init"]
    assert len(arguments(init)) == 25 and lacks(wandb.init, arguments(init)) == []


@pytest.mark.parametrize("file,name,place", [
    ("sdk/wandb_run.py", "Run", "flatout.track._run"),
    ("sdk/wandb_config.py", "Config", "flatout.track._config"),
    ("sdk/wandb_summary.py", "SummaryDict", "flatout.track._config"),
    ("sdk/artifacts/artifact.py", "Artifact", "flatout.track.artifact"),
    ("sdk/data_types/table.py", "Table", "flatout.track.media"),
])
def test_classes_have_wandbs_methods(wandb, file, name, place):
    (real,) = [node for node in ast.walk(wandb_file(file)) if isinstance(node, ast.ClassDef) and node.name == name]
    ours = getattr(importlib.import_module(place), {"SummaryDict": "Summary"}.get(name, name))
    serialising = {"bind_to_run", "to_json", "from_json", "get_media_subdir", "json_encode", "is_link", "linked_artifacts", "source_artifact",
                   "linked_at", "storage_region"}
    for method in real.body:
        if not isinstance(method, ast.FunctionDef) or (method.name.startswith("_") and method.name != "_label") or method.name in serialising:
            continue
        assert hasattr(ours, method.name) or method.name in ("metadata", "aliases", "tags", "ttl", "type", "description", "distributed_id",
                                                              "incremental", "use_as", "config", "digest_algorithm"), f"{name}.{method.name}"
        found = inspect.getattr_static(ours, method.name, None)
        if inspect.isfunction(found) and not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(found).parameters.values()):
            assert lacks(found, arguments(method)) == [], f"{name}.{method.name}"


@pytest.mark.parametrize("file,name", [("image", "Image"), ("histogram", "Histogram"), ("table", "Table"), ("video", "Video"), ("audio", "Audio"),
                                       ("html", "Html")])
def test_values_take_wandbs_arguments(wandb, file, name):
    (real,) = [node for node in ast.walk(wandb_file(f"sdk/data_types/{file}.py")) if isinstance(node, ast.ClassDef) and node.name == name]
    (init,) = [node for node in real.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"][-1:]
    ours = getattr(wandb, name).__init__
    assert lacks(ours, arguments(init)) == [] and not order_differs(ours, arguments(init))


def test_plots_take_wandbs_arguments(wandb):
    for name in ("bar", "histogram", "line", "line_series", "scatter", "confusion_matrix", "roc_curve", "pr_curve"):
        (real,) = [node for node in wandb_file(f"plot/{name}.py").body if isinstance(node, ast.FunctionDef) and node.name == name]
        assert not order_differs(getattr(wandb.plot, name), arguments(real)), name


def test_the_shim_says_the_version_that_is_compared(wandb):
    metadata = (harness.ROOT / "python/shims/wandb" / f"wandb-{wandb.__version__}.dist-info/METADATA").read_text()
    assert f"Version: {wandb.__version__}\n" in metadata and "Not wandb" in metadata
    if (TRACKERS / "wandb").is_dir():
        assert (TRACKERS / f"wandb-{wandb.__version__}.dist-info").is_dir(), "make test fetches another version than the shim says"


def test_works_without_torch_numpy_and_pillow(tmp_path):
    """With the standard library alone: -S leaves site-packages out."""
    program = """
import sys
sys.path[:0] = sys.argv[1:]
import fake_recording
import flatout.track as wandb
with wandb.init(config={"a": 1}, mode="offline") as run:
    wandb.log({"loss": 1.0, "n": {"m": 2}, "i": wandb.Image([[0.0, 1.0]]), "h": wandb.Histogram([1, 2, 3]), "t": wandb.Table(data=[[1]])})
import flatout.track.neptune as neptune
neptune.init_run()["a/b"].append(1)
for name in ("numpy", "torch", "PIL", "yaml", "wandb"):
    assert name not in sys.modules, name
print(len(fake_recording.entries))
"""
    places = [str(pathlib.Path(__file__).parent), str(harness.ROOT / "python")]
    done = subprocess.run([sys.executable, "-S", "-c", program, *places], env=harness.environment(FAKE_RECORDING=tmp_path / "fake"),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and int(done.stdout) > 6, done.stderr
