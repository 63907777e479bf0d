"""Steps that hooks do not see, on the simulated device under `flatout run --trace`: one in C that marks nothing, and ranges of NVTX."""

import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import time

import machine
import pytest
from trace_checks import BINARY

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "ui")]
from ui_server import UiServer  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "traced"


@pytest.fixture(scope="module")
def compiled(simgpu, tmp_path_factory):
    """{name of a program: what was made of it}"""
    folder = tmp_path_factory.mktemp("compiled")
    for name in ("trains", "bursts"):
        command = ["gcc", "-O1", "-Wall", "-Wno-unused-function", "-isystem", str(machine.BUILT / "include"), str(PROGRAMS / f"{name}.c"), "-o", str(folder / name)]
        subprocess.run([*command, "-L", str(machine.BUILT / "lib"), "-l:libcudart.so.13", "-lpthread", "-Wl,--allow-shlib-undefined"], check=True)
    return {name: folder / name for name in ("trains", "bursts")}


@pytest.fixture
def traced(simgpu, compiled, tmp_path):
    """(report, median length of a step by the program's own clock in ms)"""

    def run(*arguments, program="trains", trace="kernels", env=None, meanwhile=None):
        command = [BINARY, "run", "--home", tmp_path, "--quiet", "--trace", trace, "--", compiled[program], *map(str, arguments)]
        where = {"env": simgpu.environment(simgpu.scratch(), env=env), "timeout": 120}
        with UiServer(tmp_path) if meanwhile else contextlib.nullcontext() as server:
            started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=where["env"])
            try:
                if meanwhile:
                    meanwhile(server)
                out, err = started.communicate(timeout=where["timeout"])
            finally:
                started.kill()
        assert started.returncode == 0, err
        report = subprocess.run([BINARY, "report", "latest", "--home", tmp_path, "--format", "json"], capture_output=True, text=True, check=True, **where)
        return json.loads(report.stdout), float(out)

    return run


@pytest.mark.parametrize("micro_batches", [1, 3])
def test_it_has_its_steps_and_what_they_idle_for(traced, micro_batches):
    report, median_ms = traced(120, micro_batches)
    steps = report["steps"]
    assert (steps["source"], steps["count"], steps["activities"]) == ("kernels", 120, 13 * micro_batches + 2)
    assert steps["median_ms"] == pytest.approx(median_ms, rel=0.05)
    assert "phases" not in steps or set(steps["phases"]) <= {"other"}
    device = report["devices"][0]
    assert sum(device["idle_account"].values()) == pytest.approx(device["idle"], abs=1e-6)
    assert device["idle"] > 0.5, "it sleeps for two milliseconds a step"
    assert any(note.startswith("steps: from the repeating kernel sequence") for note in report["notes"])


def test_bursts_of_one_kernel_are_steps_by_the_waits_behind_them(traced):
    report, median_ms = traced(200, program="bursts")
    steps = report["steps"]
    assert (steps["source"], steps["count"]) == ("kernels", 200) and 4 <= steps["activities"] <= 6
    assert steps["median_ms"] == pytest.approx(median_ms, rel=0.05)
    assert any("activities each in the median" in note for note in report["notes"])


def traced_so_far(server):
    """The page's API of a program that is traced meanwhile: what it idled for, and its lanes, are there before it ends."""
    end = time.monotonic() + 60
    while True:
        assert time.monotonic() < end
        (row,) = server.get("/runs")["runs"] or [None]
        idle = row and server.get(f"/runs/{row['id']}/idle")
        if idle and sum(bucket["known_ms"] for bucket in idle["buckets"]) > 0:
            break
        time.sleep(0.02)
    assert row["state"] == "running"
    assert [(one["device"], one["label"]) for one in idle["devices"]] == [(0, "GPU 0")]
    known = [bucket for bucket in idle["buckets"] if bucket["idle_ms"] is not None]
    assert all(0 < sum(bucket["idle_ms"]) <= bucket["known_ms"] + 1e-6 for bucket in known)
    # Where steps are, they are theirs.
    numbered = [bucket["first_step"] for bucket in idle["buckets"] if bucket["first_step"] is not None]
    assert numbered == sorted(numbered)
    lanes = server.get(f"/runs/{row['id']}/lanes")
    kinds = {(lane["group"], lane["kind"]) for lane in lanes["lanes"]}
    assert {("GPU 0", "stream"), ("GPU 0", "idle")} <= kinds
    assert all(lanes["from_ms"] <= span[0] < span[1] <= lanes["to_ms"] for lane in lanes["lanes"] for span in lane["spans"])


def test_windows_have_those_that_lie_in_them(traced):
    report, median_ms = traced(700, trace="windows", env={"FLATOUT_TRACE_DELAY_MS": 0, "FLATOUT_TRACE_WINDOW_MS": 300}, meanwhile=traced_so_far)
    steps = report["steps"]
    assert steps["source"] == "kernels" and 30 < steps["count"] < 700
    assert steps["median_ms"] == pytest.approx(median_ms, rel=0.1)
    assert "window" in " ".join(report["notes"])


RANGES = """
import threading, time, torch

x = torch.randn(64, 64).cuda()
ends, open_ones = [], []
for step in range(60):
    time.sleep(0.001)
    with torch.cuda.nvtx.range(f"iteration {step}"):
        with torch.cuda.nvtx.range("forward"):
            for _ in range(3 + step % 5):  # no kernel sequence that comes back
                (x @ x).relu()
        time.sleep(0.009)
        torch.cuda.synchronize()
    ends.append(time.perf_counter())
    # Each is ended by another thread, after the next one has begun.
    open_ones.append(torch.cuda.nvtx.range_start(f"prefetch {step}"))
    if len(open_ones) > 1:
        ender = threading.Thread(target=torch.cuda.nvtx.range_end, args=(open_ones.pop(0),))
        ender.start()
        ender.join()
    if step % 20 == 0:
        torch.cuda.nvtx.mark(f"saved {step}")
print([1000 * (b - a) for a, b in zip(ends, ends[1:])])
"""


SLOW_LOADER = """
import time, torch

x = torch.randn(64, 64).cuda()
ends = []
for step in range(50):
    time.sleep(0.04 if step % 4 == 0 else 0.012)  # the fetch of a batch, of a few workers that are too slow
    x.cpu()
    with torch.cuda.nvtx.range("train_step"):
        for _ in range(3 + step % 5):  # no kernel sequence that comes back
            (x @ x).relu()
        torch.cuda.synchronize()
        time.sleep(0.002)
    ends.append(time.perf_counter())
print([1000 * (b - a) for a, b in zip(ends, ends[1:])])
"""


def test_ranges_of_a_program_with_a_slow_loader_are_its_steps(simgpu, tmp_path):
    where = {"env": simgpu.environment(simgpu.scratch()), "timeout": 120}
    command = [BINARY, "run", "--home", tmp_path, "--quiet", "--trace", "kernels", "--", sys.executable, "-c", SLOW_LOADER]
    done = subprocess.run(command, capture_output=True, text=True, check=True, **where)
    shown = subprocess.run([BINARY, "report", "latest", "--home", tmp_path, "--format", "json"], capture_output=True, text=True, check=True, **where)
    report = json.loads(shown.stdout)
    steps = report["steps"]
    assert steps["source"] == "ranges" and steps["count"] in (49, 50)
    assert any('from the program\'s ranges "train_step"' in note for note in report["notes"])
    lengths_ms = json.loads(done.stdout)[-steps["steady_count"]:]
    assert steps["steady_count"] > 10 and steps["mean_ms"] == pytest.approx(statistics.mean(lengths_ms), rel=0.05)


def test_ranges_of_a_program_are_its_steps_where_hooks_see_none(simgpu, tmp_path):
    where = {"env": simgpu.environment(simgpu.scratch()), "timeout": 120}
    command = [BINARY, "run", "--home", tmp_path, "--quiet", "--trace", "kernels", "--", sys.executable, "-c", RANGES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, **where)
    shown = subprocess.run([BINARY, "report", "latest", "--home", tmp_path, "--format", "json"], capture_output=True, text=True, check=True, **where)
    report = json.loads(shown.stdout)
    steps = report["steps"]
    # Of a run that imported for longer than it trained, the first range only says where the second step begins.
    assert steps["source"] == "ranges" and steps["count"] in (59, 60) and "activities" not in steps
    # From the end of one to the end of the next. The warm-up is not in the median; on a busy machine it may be long.
    lengths_ms = json.loads(done.stdout)[-steps["steady_count"]:]
    assert steps["steady_count"] > 10 and steps["median_ms"] == pytest.approx(statistics.median(lengths_ms), rel=0.05)
    device = report["devices"][0]
    assert sum(device["idle_account"].values()) == pytest.approx(device["idle"], abs=1e-6)
    assert any('from the program\'s ranges "iteration #"' in note for note in report["notes"])
    # Ranges that another thread ends, and moments.
    subprocess.run([BINARY, "export", "latest", "--home", tmp_path, "--format", "perfetto", "--out", tmp_path / "out"], capture_output=True, check=True, **where)
    events = json.loads((tmp_path / "out" / "trace.perfetto.json").read_text())["traceEvents"]
    assert [one["name"] for one in events if one.get("cat") == "mark"] == ["saved 0", "saved 20", "saved 40"]
    started = [one for one in events if one.get("cat") == "range"]
    assert [one["name"] for one in started] == [f"prefetch {step}" for step in range(59)]  # the last one never ends
    assert all(one["dur"] > 5000 for one in started)  # µs: a step
