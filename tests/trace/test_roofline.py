"""FLOPs, memory and queues of `flatout analyze`, held against torch.utils.flop_counter and against a slow, plain reading of real traces."""

import bisect
import collections
import functools
import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import harness
import jsonschema
import pytest
from analyzed import TRACES

SCHEMA = json.loads((harness.ROOT / "schema/report.schema.json").read_text())
PROGRAM = Path(__file__).with_name("flops_program.py")


def analyzed(path):
    done = subprocess.run([harness.flatout_bin(), "analyze", path, "--format", "json"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report["devices"][0]


def test_flops_are_those_of_flop_counter(tmp_path):
    trace = tmp_path / "trace.json"
    done = subprocess.run([sys.executable, PROGRAM, trace], capture_output=True, text=True, check=True)
    counted = json.loads(done.stdout.splitlines()[-1])
    device = analyzed(trace)
    roofline = device["roofline"]
    assert roofline["known_share"] == 1 and roofline["peaks"]["source"]
    flops = {one["class"]: one["tflops"] * one["time_ms"] * 1e9 for one in roofline["classes"]}
    assert flops == pytest.approx(counted, rel=1e-9)
    assert roofline["tflops"] * device["window_ms"] * 1e9 == pytest.approx(sum(counted.values()), rel=1e-9)


# --- real traces


@functools.cache
def read(name):
    path = TRACES / name
    if not path.is_file():
        pytest.skip(f"no real traces at {TRACES}")
    with gzip.open(path) as file:
        return json.loads(file.read(), strict=False)["traceEvents"]


def product(dims):
    return math.prod(dims)


def plain_flops(name, args):
    """FLOPs of one op by the book; None of what it does not know."""
    dims, concrete = args.get("Input Dims"), args.get("Concrete Inputs", [])
    if name in ("aten::mm", "aten::bmm"):
        return 2 * product(dims[0]) * dims[1][-1]
    if name == "aten::addmm":
        return 2 * product(dims[1]) * dims[2][-1]
    if name == "aten::_scaled_dot_product_flash_attention":
        batch, heads, length, width = dims[0]
        pairs = length * (length + 1) // 2 if concrete[4] == "True" else length * dims[1][2]
        return 4 * batch * heads * pairs * width
    return None


def launched_within(events):
    """(name, args) of the outermost op that plain_flops() knows around each kernel's launch, once an op; and the device's window."""
    ops, calls = collections.defaultdict(list), {}
    kernels = []
    for event in events:
        category = event.get("cat", "").lower()
        if category in ("cpu_op", "operator") and plain_flops(event["name"], event["args"]) is not None:
            ops[str(event["tid"])].append(event)
        elif category in ("cuda_runtime", "runtime", "cuda_driver"):
            calls.setdefault(event["args"].get("correlation"), event)
        elif category == "kernel":
            kernels.append(event)
    for lane in ops.values():
        lane.sort(key=lambda op: op["ts"])
    seen = {}
    for kernel in kernels:
        call = calls.get(kernel["args"].get("correlation"))
        if call is None:
            continue
        lane = ops[str(call["tid"])]
        at = bisect.bisect_right(lane, call["ts"], key=lambda op: op["ts"]) - 1
        if at >= 0 and call["ts"] < lane[at]["ts"] + lane[at]["dur"]:
            seen[id(lane[at])] = lane[at]
    return seen.values()


@pytest.mark.parametrize("name", ["tracelens_h100_bert_small.json.gz", "tracelens_h100_qwen15_05b.json.gz"])
def test_flops_of_real_traces_are_those_of_a_plain_reading(name):
    truth = sum(plain_flops(op["name"], op["args"]) for op in launched_within(read(name)))
    device = analyzed(TRACES / name)
    roofline = device["roofline"]
    assert roofline["tflops"] * device["window_ms"] * 1e9 == pytest.approx(truth, rel=1e-6)
    assert 0 < roofline["flops_utilization"] < 1 and 0 < roofline["known_share"] <= 1
    for one in roofline["classes"]:
        assert 0 < one.get("compute_share", 0.5) < 1, one  # an op that were counted twice would be above the peak


# Traces of 2021 have no strides; those of float32 on a V100 stay below its peak all the same.
def test_resnet_of_2021_has_most_of_its_flops():
    read("resnet50_v100_workers0.pt.trace.json.gz")
    device = analyzed(TRACES / "resnet50_v100_workers0.pt.trace.json.gz")
    classes = {one["class"]: one for one in device["roofline"]["classes"]}
    assert classes["convolution"]["known_share"] > 0.95 and 0.3 < classes["convolution"]["compute_share"] < 1
    # 32 pictures at 4.09 GMACs forward, twice that backward but for the first layer's input: 24.3 GFLOPs each, 6 steps.
    assert device["roofline"]["tflops"] * device["window_ms"] * 1e9 == pytest.approx(6 * 32 * 24.3e9, rel=0.03)
    assert "allocator" not in device  # it has only what changed


@pytest.mark.parametrize("name", ["tracelens_h100_bert_small.json.gz", "tracelens_h100_qwen15_05b.json.gz"])
def test_memory_is_as_the_allocator_said(name):
    said = [event["args"] for event in read(name) if event.get("name") == "[memory]" and event["args"]["Device Type"] == 1]
    memory = analyzed(TRACES / name)["allocator"]
    assert memory["peak_allocated_bytes"] == max(args["Total Allocated"] for args in said)
    assert memory["peak_reserved_bytes"] == max(args["Total Reserved"] for args in said)
    assert memory["free_at_peak_bytes"] <= memory["peak_reserved_bytes"] - memory["peak_allocated_bytes"]


def plain_queue(events):
    """(mean depth, share of time at 0) over the device's window, event by event."""
    calls, activities = {}, []
    for event in events:
        category = event.get("cat", "").lower()
        if category in ("cuda_runtime", "cuda_driver", "runtime"):
            calls.setdefault(event["args"].get("correlation"), event)
        elif category in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            activities.append(event)
    begin, end = min(one["ts"] for one in activities), max(one["ts"] + one["dur"] for one in activities)
    changes = []
    for one in activities:
        call = calls.get(one["args"].get("correlation"))
        if call and call["ts"] <= one["ts"]:
            changes += [(max(begin, min(call["ts"] + call["dur"], one["ts"])), 1), (one["ts"], -1)]
    changes.sort(key=lambda change: (change[0], -change[1]))
    depth, now, area, empty = 0, begin, 0.0, 0.0
    for at, change in [*changes, (end, 0)]:
        area += depth * (at - now)
        empty += (at - now) if depth == 0 else 0
        depth, now = depth + change, at
    return area / (end - begin), empty / (end - begin)


@pytest.mark.parametrize("name", ["tracelens_h100_bert_small.json.gz", "hta_control_nccl.pt.trace.json.gz"])
def test_queue_depth_is_that_of_a_plain_reading(name):
    mean, empty = plain_queue(read(name))
    queue = analyzed(TRACES / name)["queue"]
    assert queue["depth_mean"] == pytest.approx(mean, rel=1e-3) and queue["empty_share"] == pytest.approx(empty, abs=1e-3)
