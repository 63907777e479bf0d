"""What the loading engine's threads did, told by the hooks and found in the report."""

import json
import sys
from pathlib import Path

import pytest
from hooked import run
from pictures import torchvision, write
from planned import PROGRAMS, Outcome

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import harness  # noqa: E402

STAGES = ["read", "decode", "transform"]
COUNTED = 36  # two epochs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torchvision()
    return write(tmp_path_factory.mktemp("pictures"), count=18)


def test_the_report_says_what_the_engines_threads_did(flatout, tmp_path, folder):
    plan = tmp_path / "plan.toml"
    plan.write_text('[knobs]\ndataloader.engine = "native"\n')
    program = [harness.PYTHON, PROGRAMS / "train_pictures.py", json.dumps({"folder": str(folder)})]
    done = harness.run_observed(program, tmp_path / "run", options=["--plan", plan])
    assert done.code == 0, done.err
    loader = done.report["loader"]
    assert loader["engine"] == "native" and list(loader["engine_stages"]) == STAGES, "nothing was mixed, so nothing is told of it"
    seconds = [stage["busy_s"] + stage["blocked_s"] for stage in loader["engine_stages"].values()]
    idle = loader["engine_idle_s"]
    assert min(seconds) > 0 and sum(seconds) + sum(idle.values()) <= 1.1 * loader["threads"] * done.report["run"]["duration_s"]
    assert sorted(idle) == ["full", "starved", "unasked"] and loader["ahead"] == 2
    (line,) = [line for line in done.said.splitlines() if line.startswith("Engine ")]
    assert " thread" in line and " %" in line and len(line) <= 80


def test_a_loader_of_flatout_torch_tells_too_and_counts_each_sample_once(tmp_path, folder):
    choices = {"folder": str(folder), "flatout_torch": str(ROOT / "python"), "loader": {"engine": "native"}}
    seen = Outcome(*run(PROGRAMS / "train_pictures.py", json.dumps(choices), rings=tmp_path))
    assert not seen.ring.fact("problem")
    figures = seen.ring.fact("engine")
    assert len(figures) >= 2, "at least one for each epoch"
    assert all(fact["loader"] == 1 and fact["threads"] >= 1 for fact in figures)
    assert (figures[-1]["samples"], figures[-1]["batches"]) == (COUNTED, 10)
    for stage in STAGES:
        counters = [fact[stage + "_busy_ns"] + fact[stage + "_blocked_ns"] for fact in figures]
        assert counters == sorted(counters) and counters[-1] == figures[-1][stage + "_ns"] > 0
