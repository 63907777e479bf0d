"""kernels.hf: found in the hub's cache, set, refused and taken off. The package kernels is a
stand-in; the model is one of transformers' own."""

import importlib
import json
import os
import subprocess
import sys

import torch
from planned import PROGRAMS
from scoped import Native, forward

ID = "kernels.hf"


def test_kernels_that_are_cached_are_set_and_none_is_fetched(tmp_path):
    environment = {**os.environ, "HF_HUB_OFFLINE": "0"}
    environment.pop("TRANSFORMERS_OFFLINE", None)
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "hub_kernels.py"), str(tmp_path)],
        capture_output=True, text=True, timeout=120, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saw = json.loads(done.stdout.splitlines()[-1])
    word = {"knob": ID, "value": True, "from": False}
    assert saw["cpu"] == {**word, "applied": False, "reason": "the model does not run on a CUDA device"}
    assert not saw["nothing cached"]["applied"] and "a plan downloads none" in saw["nothing cached"]["reason"]
    (name, mode, _offline), count, offline = saw["asked"]
    assert mode == "Mode.TRAINING" and count >= 3 and offline == [True], "never online"
    assert saw["as before"]
    assert saw["cached"] == {**word, "applied": True, "effect": "kernels of the hub in 3 layers"}
    assert saw["zeros"] and saw["asked again"] == 0 and not saw["use_kernels"]
    assert saw["offline afterwards"] is False and saw["undone"]
    assert saw["already"]["reason"] == "the model uses kernels of the hub already"
    assert saw["other"]["reason"] == "the model is none of transformers'"


def test_without_the_package_it_says_so(knobs, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    native = Native()
    plan = knobs.Knobs(native, torch, json.dumps({ID: True}))
    plan.words.installed()
    forward(native, torch.nn.Linear(2, 2), torch.ones(1, 2))
    assert native.facts[-1]["reason"] == "the package kernels is not installed"
