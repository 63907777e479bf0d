"""Programs of the zoo under `flatout run --trace`: what the report says of the device, held to what the simulated device did."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]
import harness  # noqa: E402
import observe  # noqa: E402
from truth import Truth, union_ns  # noqa: E402

SCALE = 0.3
POINT = 0.01
COMPUTES = ("kernel", "set")


def traced(name, folder, mode, **settings):
    if missing := observe.lacks(name):
        pytest.skip(missing)
    folder.mkdir(parents=True, exist_ok=True)
    env = observe.environment(name, folder, SCALE, FLATOUT_HOME=folder / "home", **settings)
    outcome = harness.run_observed(observe.command(name), folder, env=env, options=["--trace", mode])
    said = outcome.err.decode(errors="replace")[-2000:] + outcome.said
    assert outcome.code == 0 and outcome.report, said
    assert outcome.report["trace"]["state"] == "on", said
    return outcome.report, Truth(folder / "truth").of(device=0), env


def shares(operations, begin_ns, end_ns):
    length = end_ns - begin_ns
    busy = union_ns(operations, begin_ns, end_ns)
    compute = union_ns([one for one in operations if one.kind in COMPUTES], begin_ns, end_ns)
    return busy / length, compute / length


# Causes of the idle account that hold most of what the device idles in the steps.
PROGRAMS = {
    "launch_bound": ("launch_bound", "launch"),
    "starved_0w": ("input_bound", "data"),
    "pageable_copies": ("copy_bound", None),  # most of it is copies that compute nothing, and no idle time
    "compute_bound": ("compute_bound", None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_whole_run(flatout, simgpu, name, tmp_path):
    report, operations, env = traced(name, tmp_path, "kernels")
    device = report["devices"][0]
    first = min(one.start_ns for one in operations)
    # A program that ends by os._exit leaves its last records behind, and the report says so.
    last = first + round(device["window_ms"] * 1e6)
    if report["trace"].get("why"):
        assert "before its last records had come" in report["trace"]["why"]
    else:
        assert abs(last - max(one.end_ns for one in operations)) < 1e6
    busy, compute = shares(operations, first, last)
    assert device["busy"] == pytest.approx(busy, abs=POINT)
    assert device["compute"] == pytest.approx(compute, abs=POINT)
    assert device["copy_exposed"] == pytest.approx(busy - compute, abs=POINT)
    assert device["busy"] + device["idle"] == pytest.approx(1)
    assert sum(device["idle_account"].values()) == pytest.approx(device["idle"])
    seen = [one for one in operations if one.start_ns < last]
    kernels = [one for one in seen if one.kind == "kernel"]
    assert report["trace"]["dropped"] == 0
    assert device["kernels"]["count"] == pytest.approx(len(kernels), rel=0.005)
    assert device["kernels"]["time_ms"] == pytest.approx(sum(one.end_ns - one.start_ns for one in kernels) / 1e6, rel=0.01)
    to_device = sum(one.bytes for one in seen if one.kind == "copy_to_device")
    assert device["copies"]["h2d_bytes"] == pytest.approx(to_device, rel=0.01)
    finding, cause = PROGRAMS[name]
    assert report["verdict"]["finding"] == finding
    if cause:
        in_steps = {one: share for one, share in device["idle_account"].items() if one != "startup"}
        assert max(in_steps, key=in_steps.get) == cause
    the_same_again(report, env, tmp_path)


def the_same_again(report, env, folder):
    """From the sealed run, by `report` and `analyze`, and Perfetto's file sums to the account."""
    run = report["run"]["id"]

    def asked(*words):
        done = subprocess.run([harness.flatout_bin(), *words], env=env, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    for verb in ("report", "analyze"):
        later = asked(verb, run, "--format", "json")
        assert later["devices"][0]["idle_account"] == report["devices"][0]["idle_account"]
        assert later["verdict"]["finding"] == report["verdict"]["finding"]
    out = folder / "exported"
    subprocess.run([harness.flatout_bin(), "export", run, "--format", "perfetto", "--out", out], env=env, check=True, timeout=120, capture_output=True)
    (file,) = out.glob("*.json")
    idle = [one for one in json.loads(file.read_text())["traceEvents"] if one.get("cat") == "flatout_idle"]
    device = report["devices"][0]
    for cause, share in device["idle_account"].items():
        shown_ms = sum(one["dur"] for one in idle if one["args"]["cause"] == cause) / 1e3
        assert shown_ms == pytest.approx(share * device["window_ms"], rel=0.01, abs=1), cause


@pytest.mark.parametrize("name", ["launch_bound", "starved_0w"])
def test_windows(flatout, simgpu, name, tmp_path):
    """Of short windows close together, so that the short run has some: near what the whole time says."""
    report, operations, _ = traced(name, tmp_path, "windows", FLATOUT_TRACE_DELAY_MS=500, FLATOUT_TRACE_WINDOW_MS=400)
    trace, device = report["trace"], report["devices"][0]
    assert trace["windows"] >= 2 and trace["share"] < 0.6
    assert device["window_ms"] <= trace["traced_s"] * 1e3 * 1.001
    assert sum(device["idle_account"].values()) == pytest.approx(device["idle"])
    assert report["verdict"]["finding"] == PROGRAMS[name][0]
