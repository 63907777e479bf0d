"""Which lines wait for the device: runs under `flatout run`, with a kernel trace and without, say the program's own lines."""

import json
import pathlib
import shutil
import subprocess
import sys

import machine
import pytest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("", "ui")]
import harness  # noqa: E402
from ui_server import UiServer  # noqa: E402

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "waits.py"
STEPS = 60
# Mark of the line -> the call that waits there, the library's function in between.
CALLS = {"item": ("item", ""), "clip": ("bool", "torch.nn.utils.clip_grad"), "bool": ("bool", ""), "cpu": ("cpu", ""), "synchronize": ("synchronize", "")}


def line_of(mark):
    (number,) = (i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if line.endswith("  # " + mark))
    return f"{PROGRAM}:{number}"


def run(folder, *options, program=PROGRAM, arguments=(STEPS,), **settings):
    env = machine.Machine(folder).environment(folder, env={"SIMGPU_SLOWER": 40, **settings})
    outcome = harness.run_observed([harness.PYTHON, program, *map(str, arguments)], folder, env=env, options=options)
    assert outcome.code == 0, outcome.err.decode(errors="replace")[-2000:] + outcome.said
    return outcome


def rows_by_place(waits):
    return {(one.get("at"), one.get("op")): one for one in waits if not one.get("rest")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("waits")


@pytest.fixture(scope="module")
def traced(simgpu, folder):
    return run(folder, "--trace", "kernels")


@pytest.mark.parametrize("mark", CALLS)
def test_each_line_that_waits_is_named(traced, mark):
    device = traced.report["devices"][0]
    op, by = CALLS[mark]
    row = rows_by_place(device["waits"])[line_of(mark), op]
    # The last ones may begin once the device is done, and its time over.
    assert row["count"] in (STEPS - 1, STEPS) and row["time_ms"] > 0 and row["idle_ms"] >= 0
    assert row["api"] == ("cudaDeviceSynchronize" if mark == "synchronize" else "cudaStreamSynchronize")
    assert row.get("by", "").rpartition(":")[0] == by


def test_their_idle_time_is_the_accounts(traced):
    for one in (traced.report["devices"][0], traced.report["devices"][0]["in_steps"]):
        assert sum(row["idle_ms"] for row in one["waits"]) == pytest.approx(one["idle_account"]["sync"] * one["window_ms"], rel=1e-6)


def test_the_page_shows_the_same_account_by_step_and_as_lanes(traced, folder):
    account = traced.report["devices"][0]["in_steps"]
    with UiServer(folder / "home") as server:
        run_id = server.get("/runs")["runs"][0]["id"]
        warm_up = server.get(f"/runs/{run_id}/steps")["warmup_steps"]
        idle = server.get(f"/runs/{run_id}/idle", width=8192)
        lanes = server.get(f"/runs/{run_id}/lanes", width=4096)
    steady = [bucket for bucket in idle["buckets"] if bucket["first_step"] >= warm_up and bucket["known_ms"] > 0]
    known = sum(bucket["known_ms"] for bucket in steady)
    assert known == pytest.approx(account["window_ms"], rel=0.01)
    shares = {cause: sum(bucket["idle_ms"][i] for bucket in steady) / known for i, cause in enumerate(idle["causes"])}
    # The account of the steps alone does not know which launches before them had used up what waits before them cost: of
    # its launches more are a wait's (`sync`, or `copy` of one that copied).
    waits = ("launch", "sync", "copy")
    assert sum(shares[one] for one in waits) == pytest.approx(sum(account["idle_account"][one] for one in waits), abs=0.01)
    for cause in set(shares).difference(waits):
        assert shares[cause] == pytest.approx(account["idle_account"][cause], abs=0.01), cause
    assert sum(sum(bucket["idle_ms"]) for bucket in steady) / known == pytest.approx(account["idle"], abs=0.005)

    of_kind = {lane["kind"]: lane["spans"] for lane in lanes["lanes"]}
    assert {"phases", "calls", "stream", "idle"} <= set(of_kind) and len(lanes["steps"]) == 6
    # Where the device idles it computes nothing: the two lanes fill the time together.
    filled = sum(span[2] for kind in ("stream", "idle") for span in of_kind[kind])
    assert filled == pytest.approx(lanes["to_ms"] - lanes["from_ms"], rel=0.02)


def test_without_a_trace_the_steps_say_where_they_wait(simgpu, tmp_path):
    outcome = run(tmp_path, "--trace", "off")
    rows = rows_by_place(outcome.report["steps"]["waits"])
    assert set(rows) == {(line_of(mark), op) for mark, (op, _) in CALLS.items()}
    assert all(row["count"] == outcome.report["steps"]["steady_count"] for row in rows.values())
    assert not any("idle_ms" in row or "api" in row for row in rows.values())


PROFILED = """
import runpy
import sys
from torch.profiler import ProfilerActivity, profile

waits = runpy.run_path(sys.argv[1])
waits["main"](3)
for file, stacks in (("stacks.json", True), ("ops.json", False)):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], with_stack=stacks) as profiler:
        waits["main"](20)
    profiler.export_chrome_trace(sys.argv[2] + "/" + file)
"""


@pytest.fixture(scope="module")
def profiled(simgpu, tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiled")
    # PyTorch's profiler leaves out functions of files whose path is not ASCII, as that of a checkout may be.
    program = shutil.copy(PROGRAM, folder)
    done = simgpu.run(PROFILED, program, folder, slower=40)
    assert done.status == 0, done.output
    return folder


def analyzed(trace):
    said = subprocess.run([harness.flatout_bin(), "analyze", trace, "--format", "json"], capture_output=True, check=True, timeout=60)
    rows = json.loads(said.stdout)["devices"][0]["waits"]
    assert sum(row["count"] for row in rows) >= 20 * len(CALLS) - 1
    return rows, {(row.get("function"), row.get("op")) for row in rows}


def test_a_trace_with_stacks_names_the_programs_function(profiled):
    rows, named = analyzed(profiled / "stacks.json")
    assert {("read", "aten::item"), ("main", "aten::is_nonzero"), ("main", "aten::to"), ("main", "synchronize")} <= named
    assert all(PROGRAM.name in row["at"] for row in rows if row.get("function") in ("read", "main"))


def test_a_trace_without_stacks_names_the_op(profiled):
    rows, named = analyzed(profiled / "ops.json")
    assert {(None, "aten::item"), (None, "aten::is_nonzero"), (None, "aten::to")} <= named
    assert not any("at" in row for row in rows)


# Each wait is for some 20 ms of the device's, and the host does nothing for 5 ms behind it: what the wait costs is the idle
# time as long as that is shorter than the wait, however late a busy machine wakes the host up.
IN_C = """
#include <unistd.h>
extern int cudaMalloc(void**, unsigned long), cudaMemsetAsync(void*, int, unsigned long, void*), cudaStreamSynchronize(void*);

int main() {
  void* memory = 0;
  cudaMalloc(&memory, 1 << 28);
  for (int i = 0; i < 50; ++i) {
    cudaMemsetAsync(memory, i, 1 << 28, 0);
    cudaStreamSynchronize(0);
    usleep(5000);
  }
  return 0;
}
"""


def test_a_program_in_c_has_the_call_alone(simgpu, tmp_path):
    (tmp_path / "waits.c").write_text(IN_C)
    library = machine.BUILT / "lib" / "libcudart.so.13"
    subprocess.run(["gcc", tmp_path / "waits.c", "-o", tmp_path / "waits", library, "-Wl,--allow-shlib-undefined"], check=True)
    outcome = harness.run_observed([tmp_path / "waits"], tmp_path, env=machine.Machine(tmp_path).environment(tmp_path, slower=200), options=["--trace", "kernels"])
    (row,) = outcome.report["devices"][0]["waits"]
    assert set(row) == {"api", "count", "time_ms", "idle_ms"} and row["api"] == "cudaStreamSynchronize"
    assert "after cudaStreamSynchronize (" in outcome.report["findings"][0]["summary"]


def test_the_program_is_as_without_it(simgpu, tmp_path, traced):
    env = machine.Machine(tmp_path).environment(tmp_path, env={"SIMGPU_SLOWER": 40})
    plain = harness.run_plain([harness.PYTHON, PROGRAM, str(STEPS)], env=env)
    assert (plain.code, plain.out, plain.err) == (traced.code, traced.out, traced.err)
