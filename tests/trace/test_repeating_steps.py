"""Steps from the repeating kernel sequence, held against the marks of real traces, which are hidden from it."""

import gzip
import json
import statistics
import subprocess
from pathlib import Path

import harness
import jsonschema
import pytest
from analyzed import TRACES

TESTDATA = Path(__file__).resolve().parent / "testdata"
SCHEMA = json.loads((harness.ROOT / "schema/report.schema.json").read_text())
MARKED = [TESTDATA / "h200_gpt2.json.gz", TESTDATA / "h200_resnet50.json.gz", TRACES / "hta_control_nccl.pt.trace.json.gz", TRACES / "resnet50_v100_workers0.pt.trace.json.gz"]
ONE_STEP = [TRACES / "tracelens_h100_bert_small.json.gz", TRACES / "tracelens_h100_qwen15_05b.json.gz", TRACES / "hta_alexnet.pt.trace.json.gz"]


def analyzed(path):
    done = subprocess.run([harness.flatout_bin(), "analyze", path, "--format", "json"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report


def without_marks(path, folder):
    with gzip.open(path) as file:
        trace = json.load(file, strict=False)
    events = [event for event in trace["traceEvents"] if not event.get("name", "").startswith(("ProfilerStep#", "Optimizer."))]
    hidden = folder / "hidden.json"
    hidden.write_text(json.dumps({**trace, "traceEvents": events}))
    return hidden


def names(paths):
    return [pytest.param(path, id=path.name.split(".")[0], marks=pytest.mark.skipif(not path.exists(), reason=f"no {path}")) for path in paths]


@pytest.mark.parametrize("path", names(MARKED))
def test_steps_are_those_that_the_trace_marks(path, tmp_path):
    marked, found = analyzed(path)["steps"], analyzed(without_marks(path, tmp_path))["steps"]
    assert "source" not in marked and found["source"] == "kernels"
    assert found["count"] == marked["count"]
    assert found["mean_ms"] == pytest.approx(marked["mean_ms"], rel=0.01)


@pytest.mark.parametrize("path", names(ONE_STEP))
def test_layers_of_one_step_are_none(path, tmp_path):
    report = analyzed(without_marks(path, tmp_path))
    assert report.get("steps", {}).get("source") != "kernels"


def test_a_cuda_program_has_its_rounds():
    report = analyzed(TESTDATA / "h200_plain_cuda.json.gz")
    with gzip.open(TESTDATA / "h200_plain_cuda.json.gz") as file:
        batches = sorted(event["ts"] for event in json.load(file)["traceEvents"] if "HtoD" in event.get("name", "") and event.get("cat") == "gpu_memcpy")
    rounds_ms = [(after - before) / 1e3 for before, after in zip(batches, batches[1:])]
    steps = report["steps"]
    assert (steps["source"], steps["count"], steps["activities"]) == ("kernels", 200, 62)
    assert steps["median_ms"] == pytest.approx(statistics.median(rounds_ms), rel=0.01)
    assert report["devices"][0]["idle_account"]
