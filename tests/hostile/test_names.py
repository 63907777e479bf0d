"""Every name that the hooks hook is the same object and the same to whoever looks."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import harness
import pytest
from hooked import environment

HERE = Path(__file__).parent
HOOKS = harness.ROOT / "python/flatout/hooks"
# Objects of PyTorch's own that are made for one iterator, or what a knob or a trial sets and says.
NOT_NAMES = {"fetcher.collate_fn"}


KINDS = {"a run": {}, "a trial": {"FLATOUT_TRIAL": "1"},
         "seeds and checkpoints": {"FLATOUT_TRIAL": "1", "FLATOUT_TRIAL_SEED": "1", "FLATOUT_TRIAL_DIVERT": "/nowhere"}}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_name_of_the_hooks_tables(flatout, tmp_path, kind):
    rings = tmp_path / "rings"
    rings.mkdir()
    env = environment(rings, **KINDS[kind], PYTHONPATH=str(harness.ROOT / "tests"))
    done = subprocess.run([sys.executable, str(HERE / "programs/names.py"), str(rings)], env=env, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["problems"] == [] and said["missing"] == []
    assert said["names"] >= 25
    # What `os` shows of posix would change its hash, which lies in os.supports_dir_fd: a Span stands in os.
    of_c = {name: said["found"].pop(name) for name in list(said["found"]) if name.startswith("<module 'os'")}
    assert all({key.rstrip("0123456789") for key in found} <= {"is", "inspect.ismethoddescriptor", "pickle ", "python pickle"} for found in of_c.values()), of_c
    assert said["found"] == {}
    assert set(said["bound"].values()) == {True}, said["bound"]
    assert said["same"] == []


PICKLERS = harness.ROOT / "build/hf_datasets/site-packages"


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.every_change("fork")
def test_a_pool_loads_files(flatout, tmp_path, method):
    """torch.load and others as the function of Pool.map, in the hands of a dataset that is spawned, and through other picklers."""
    command = [sys.executable, HERE / "programs/pools.py", method, tmp_path]
    env = harness.environment(PYTHONPATH=f"{harness.ROOT / 'tests'}:{PICKLERS}")
    bare, observed = harness.run_plain(command, env=env), harness.run_observed(command, tmp_path / "flatout", env=env)
    assert (bare.code, observed.code) == (0, 0), observed.err.decode()
    plain, seen = bare.out.decode().splitlines(), observed.out.decode().splitlines()
    assert seen[:2] == ["[0, 1, 2, 3]", "[0, 1, 2, 3]"] and seen[-1] == "[0, 1, 2, 3]"
    # A pickler that takes a method of Python apart finds it by name where its class is hooked (Python 3.11).
    for before, after in zip(" ".join(plain).split(), " ".join(seen).split(), strict=True):
        assert after in (before, "True"), (plain, seen)


def test_nothing_is_wrapped_in_another_function():
    """functools.wraps makes another object of the same name: hook() stands in front of the object itself."""
    found = [path.name for path in sorted(HOOKS.rglob("*.py")) if "functools.wraps" in path.read_text()]
    assert found == []


def test_nothing_is_put_into_a_holder_past_the_one_way():
    """A span that is assigned to a name replaces the function: hook() is the way."""
    found = []
    for path in sorted(HOOKS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            value = getattr(node, "value", None) if isinstance(node, ast.Assign) else None
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr" and len(node.args) == 3:
                value, target = node.args[2], ast.unparse(node.args[0])
            elif value is not None:
                target = ast.unparse(node.targets[0])
            makes_span = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "span"
            if makes_span and "." in target and target not in NOT_NAMES:
                found.append(f"{path.name}: {target}")
    assert found == []
