"""`flatout analyze` on traces of an H200, held against plain Python that reads the same files."""

import gzip
import json
from pathlib import Path

import pytest
from analyzed import analyzed

TESTDATA = Path(__file__).resolve().parent / "testdata"
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def activities(name):
    with gzip.open(TESTDATA / name) as file:
        return [event for event in json.load(file)["traceEvents"] if event.get("cat") in ON_DEVICE]


def covered_us(spans):
    total, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def spans_of(events):
    return [(event["ts"], event["ts"] + event["dur"]) for event in events]


@pytest.mark.parametrize("name", ["h200_resnet50.json.gz", "h200_gpt2.json.gz"])
def test_figures_of_the_device(name):
    (device,), events = analyzed(TESTDATA / name)["devices"], activities(name)
    kernels = [event for event in events if event["cat"] == "kernel"]
    spans = spans_of(events)
    window_us = max(end for _, end in spans) - min(begin for begin, _ in spans)
    assert device["name"] == "NVIDIA H200"
    assert device["window_ms"] == pytest.approx(window_us / 1e3, abs=1e-3)
    assert device["busy"] == pytest.approx(covered_us(spans) / window_us, abs=1e-4)
    assert device["kernels"]["count"] == len(kernels)
    assert device["kernels"]["time_ms"] == pytest.approx(sum(event["dur"] for event in kernels) / 1e3, abs=1e-3)
    assert device["busy"] + device["idle"] == pytest.approx(1, abs=1e-6)
    assert sum(device["idle_account"].values()) == pytest.approx(device["idle"], abs=1e-6)
    to_device = [event for event in events if "HtoD" in event["name"]]
    assert device["copies"]["h2d_bytes"] == sum(event["args"]["bytes"] for event in to_device)
    assert device["copies"]["pageable_share"] == 1


def test_resnet_without_workers_is_input_bound():
    report = analyzed(TESTDATA / "h200_resnet50.json.gz")
    assert (report["verdict"]["finding"], report["verdict"]["cause"]) == ("input_bound", "single_process_loading")
    account = report["devices"][0]["idle_account"]
    assert account["data"] == max(account.values())


def test_gpt2_in_float32_leaves_the_tensor_cores_unused():
    report = analyzed(TESTDATA / "h200_gpt2.json.gz")
    assert report["verdict"]["finding"] == "precision_unused"
    assert report["devices"][0]["kernels"]["tensor_core_share"] == 0


def test_a_run_of_a_cuda_program_that_flatout_traced():
    """examples/gpu/plain.cu: its text says what there must be."""
    report = analyzed(TESTDATA / "h200_plain_cuda.json.gz")
    (device,) = report["devices"]
    counts = {kernel["name"].split("::")[-1].split("(")[0]: kernel["count"] for kernel in device["kernels"]["top"]}
    assert counts == {"work": 200 * 10, "hardly_work": 200 * 50}
    assert device["copies"]["h2d_bytes"] == 200 * (1 << 22) * 4
    assert device["copies"]["d2h_bytes"] == 200 * 256 * 4
    assert device["copies"]["pageable_share"] == 1
    assert report["verdict"]["finding"] == "copy_bound"
    assert device["busy"] + device["idle"] == pytest.approx(1, abs=1e-6)
