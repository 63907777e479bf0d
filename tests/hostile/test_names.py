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


@pytest.mark.parametrize("trial", ["", "1"], ids=["a run", "a trial"])
def test_each_name_of_the_hooks_tables(flatout, tmp_path, trial):
    rings = tmp_path / "rings"
    rings.mkdir()
    env = environment(rings, FLATOUT_TRIAL=trial, PYTHONPATH=str(harness.ROOT / "tests"))
    done = subprocess.run([sys.executable, str(HERE / "programs/names.py"), str(rings)], env=env, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["problems"] == [] and said["missing"] == []
    assert said["names"] >= 25
    assert said["found"] == {}
    assert set(said["bound"].values()) == {True}, said["bound"]


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
