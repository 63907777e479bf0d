"""`flatout tune` on a simulated device: what must be kept is, and nothing that gains nothing."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CASES = tomllib.loads((HERE / "cases.toml").read_text())
SITE = HERE.parents[2] / "build" / "simgpu" / "site"


def tune(flatout, simgpu, case, folder):
    (folder / "work").mkdir()
    shutil.copy(HERE / "train.py", folder / "work")
    document = folder / "tune.json"
    options = ["--home", folder / "home", "--plan", folder / "plan.toml", "--json", document, "--knobs", ",".join(case["knobs"])]
    command = [flatout, "tune", *options, *case.get("options", ["--steps", "40"]), "--", sys.executable, "train.py", *case["arguments"]]
    environment = simgpu.environment(folder, slower=case["slower"], env={"SIMGPU_NUMBERS": 0, **case.get("env", {})})
    done = subprocess.run([str(word) for word in command], cwd=folder / "work", env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(document.read_text()), done.stdout


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if case.get("in_ci") else pytest.mark.slow) for name, case in CASES.items()])
def test_tune(flatout, simgpu, tmp_path, retried, name):
    case = CASES[name]
    if missing := [module for module in case.get("needs", []) if not (SITE / module).is_dir()]:
        pytest.skip(f"{', '.join(missing)} is not beside PyTorch's CUDA build; tests/simgpu/prepare.py fetches it")
    problems, said = attempt(flatout, simgpu, case, tmp_path / "first")
    if problems:
        retried(f"{name}: tuned once more, the first tune missed: {'; '.join(problems)}")
        problems, said = attempt(flatout, simgpu, case, tmp_path / "second")
    assert not problems, f"{'; '.join(problems)}\n{said}"


def attempt(flatout, simgpu, case, folder):
    folder.mkdir()
    document, said = tune(flatout, simgpu, case, folder)
    return problems_of(case, document), said


def problems_of(case, document):
    kept, problems = document["knobs"], []
    for knob, value in case.get("kept", {}).items():
        if kept.get(knob) != value:
            problems.append(f"{knob} = {value} was not kept")
    for knob, least in case.get("kept_above", {}).items():
        if not kept.get(knob, 0) > least:
            problems.append(f"{knob} {kept.get(knob)} is not above {least}")
    problems += [f"{knob} was kept, and gains nothing" for knob in case.get("left", []) if knob in kept]
    slower = [row["knob"] for row in document["trials"] if row.get("kept") and row.get("interval", [1])[0] < 1]
    return problems + [f"{knob} was kept without proof" for knob in slower]
