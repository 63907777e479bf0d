"""libflatout_inject.so, loaded by CUDA into programs in C and into PyTorch's: its ring has what the truth has."""

import collections
import json
import os
import pathlib
import re
import subprocess
import time

import machine
import pytest
from trace_ring import UNKNOWN_BYTES, read_trace_rings
from truth import Truth

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs" / "traced"
BINARY = pathlib.Path(os.environ.get("FLATOUT_BIN", HERE.parents[1] / "build/release/bin/flatout"))
LIBRARY = BINARY.resolve().parent.parent / "lib/flatout/libflatout_inject.so"
HOOKS = LIBRARY.parent / "site"
CLOSE_NS = 1000  # between the simulator's clock and its CUPTI's

KIND = {
    "kernel": ("kernel", "unknown"), "copy_to_device": ("copy", "to_device"), "copy_to_host": ("copy", "to_host"),
    "copy_on_device": ("copy", "on_device"), "copy_peer": ("copy", "on_device"), "set": ("memset", "unknown"),
}  # fmt: skip


@pytest.fixture(scope="module")
def built(simgpu, tmp_path_factory):
    """{name of a program: its file}; only what is a client of CUPTI itself is linked against it."""
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY} is not built")
    folder = tmp_path_factory.mktemp("traced")
    made = {}
    for source in sorted(PROGRAMS.glob("*.c")):
        made[source.stem] = folder / source.stem
        cupti = ["-l:libcupti.so.13"] if "cupti.h" in source.read_text() else []
        command = ["gcc", "-O1", "-Wall", "-Wno-unused-function", "-isystem", str(machine.BUILT / "include"), str(source)]
        libraries = ["-L", str(machine.BUILT / "lib"), "-l:libcudart.so.13", *cupti, "-lpthread", "-Wl,--allow-shlib-undefined"]
        subprocess.run([*command, "-o", str(made[source.stem]), *libraries], check=True)
    return made


class Traced:
    def __init__(self, done, rings, truth):
        self.done, self.rings, self.truth = done, rings, truth

    @property
    def ring(self):
        (ring,) = self.rings
        return ring

    @property
    def facts(self):
        return [value for key, value in self.ring.facts if key == "trace"]


@pytest.fixture
def traced(simgpu, built, tmp_path):
    """A program of programs/traced under the agent, in mode `trace`; `settings` are its variables."""

    def run(what, *arguments, trace="kernels", status=0, env=None, slower=1, devices=1, **settings):
        scratch, rings = simgpu.scratch(), tmp_path / "rings"
        rings.mkdir(exist_ok=True)
        more = {"CUDA_INJECTION64_PATH": LIBRARY, "FLATOUT_RING_DIR": rings, "FLATOUT_TRACE": trace, **(env or {})}
        more.update({"FLATOUT_TRACE_" + key.upper(): value for key, value in settings.items()})
        done = subprocess.run(
            [str(built.get(what, built["traced"])), what, *map(str, arguments)],
            env=simgpu.environment(scratch, env=more, slower=slower, devices=devices),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        assert done.stderr == ""
        return Traced(done, read_trace_rings(rings), Truth(scratch / "truth"))

    return run


def assert_same(activity, operation):
    assert (activity.kind, activity.direction) == KIND[operation.kind]
    assert abs(activity.start_ns - operation.start_ns) <= CLOSE_NS and abs(activity.end_ns - operation.end_ns) <= CLOSE_NS
    assert (activity.stream, activity.device) == (operation.stream, operation.device)
    assert (activity.name, activity.graph) == (operation.name, operation.graph)
    assert activity.bytes == (UNKNOWN_BYTES if operation.kind == "kernel" else operation.bytes)
    if operation.kind in ("copy_to_device", "copy_to_host"):
        assert activity.host_memory == ("pageable" if operation.pageable else "pinned")


def assert_agrees(ring, operations):
    """Each operation is there once, as it was, below its launching call."""
    order = lambda one: (one.correlation, one.start_ns)  # noqa: E731
    activities, operations = sorted(ring.activities, key=order), sorted(operations, key=order)
    assert [one.correlation for one in activities] == [one.correlation for one in operations]
    for activity, operation in zip(activities, operations):
        assert_same(activity, operation)
    launching = collections.Counter(call.correlation for call in ring.calls if call.correlation)
    assert set(launching.values()) <= {1}, "a call once"
    assert {one.correlation for one in operations} <= set(launching)
    enqueued = {one.correlation: one.enqueued_ns for one in operations}
    for call in ring.calls:
        assert call.start_ns <= call.end_ns
        if call.correlation in enqueued:
            assert call.start_ns - CLOSE_NS <= enqueued[call.correlation] <= call.end_ns + CLOSE_NS


def whole(ring):
    assert ring.dropped == 0 and all(window.dropped == 0 for window in ring.windows)


def test_all_sorts_of_operations_are_in_the_ring_as_they_were(traced):
    seen = traced("all")
    whole(seen.ring)
    assert len(seen.truth.operations) == 7
    assert_agrees(seen.ring, seen.truth.operations)
    assert seen.facts == [{"cupti": "13.0", "state": "on"}]
    (window,) = seen.ring.windows
    assert window.end == "exit" and all(window.start_ns <= one.start_ns and one.end_ns <= window.end_ns for one in seen.ring.activities)


def test_calls_have_their_names_and_threads_and_waits_launch_nothing(traced):
    seen = traced("all")
    names = collections.Counter(call.name for call in seen.ring.calls)
    assert names["cudaLaunchKernel"] == 2 and names["cudaMemcpyAsync"] == 3 and names["cudaMemsetAsync"] == 1
    assert not [name for name in names if "Stream" in name and "Synchronize" not in name]  # cudaStreamCreateWithFlags
    waits = [call for call in seen.ring.calls if call.name.endswith("Synchronize")]
    assert len(waits) == 2 and all(call.correlation == 0 for call in waits)
    assert {call.tid for call in seen.ring.calls} == {seen.ring.pid}


def test_records_are_those_of_all_threads_and_a_name_comes_once(traced):
    seen = traced("threads", 3000, buffer_bytes=65536)
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.operations)
    assert len({call.tid for call in seen.ring.calls if call.correlation}) == 4
    assert len(seen.truth.operations) == 12000
    assert sorted(name for name in seen.ring.names.values() if name.startswith("_Z")) == ["_Z8a_kernelPfi"]


def test_a_ring_that_is_too_small_drops_and_counts(traced):
    seen = traced("launches", 20000, ring_bytes=1 << 16)
    assert len(seen.truth.operations) == 20000
    kept = len(seen.ring.activities) + len(seen.ring.calls)
    assert 1000 < kept < 1500
    assert seen.ring.dropped >= 40000 - kept
    of_truth = {one.correlation: one for one in seen.truth.operations}
    for activity in seen.ring.activities:
        assert_same(activity, of_truth[activity.correlation])


def test_an_exhausted_pool_drops_and_counts(traced):
    seen = traced("threads", 4000, buffer_bytes=1024, buffers=1)
    dropped = sum(window.dropped for window in seen.ring.windows)
    assert dropped > 0 and seen.ring.dropped == 0
    lost = len(seen.truth.operations) - len(seen.ring.activities)
    assert 0 < lost <= dropped
    of_truth = {one.correlation: one for one in seen.truth.operations}
    for activity in seen.ring.activities:
        assert_same(activity, of_truth[activity.correlation])


def test_windows_lie_apart_and_hold_all_that_was_launched_in_them(traced):
    seen = traced("paced", 4000, trace="windows", delay_ms=300, window_ms=200)
    whole(seen.ring)
    assert [window.end for window in seen.ring.windows] == ["planned", "planned"]
    first, second = seen.ring.windows
    assert all(150e6 < window.end_ns - window.start_ns < 400e6 for window in seen.ring.windows)
    assert 1.9e9 < second.start_ns - first.end_ns < 3e9
    edge = 2_000_000  # of a window: kinds are switched one after the other
    inside = [one for one in seen.truth.operations if seen.ring.covers(one.enqueued_ns)]
    assert 150 < len(inside) < len(seen.truth.operations) / 4
    there = {activity.correlation: activity for activity in seen.ring.activities}
    for one in inside:
        if seen.ring.covers(one.enqueued_ns - edge) and seen.ring.covers(one.enqueued_ns + edge):
            assert_same(there[one.correlation], one)
    assert all(seen.ring.covers(one.start_ns - edge) or seen.ring.covers(one.start_ns + edge) for one in seen.ring.activities)
    assert [fact["state"] for fact in seen.facts] == ["on"]


def test_no_window_before_the_delay(traced):
    assert traced("launches", 100, trace="windows", delay_ms=30000).rings == []


@pytest.mark.parametrize("trace", ["kernels", "windows"])
def test_children_of_fork_are_not_traced_and_the_parent_goes_on(traced, trace):
    seen = traced("forks", trace=trace, delay_ms=0, window_ms=60000)
    if trace == "windows":  # what ran before the window is not in it
        whole(seen.ring)
        assert len(seen.rings) == 1 and seen.facts[0]["state"] == "on"
        return
    assert seen.ring.pid in {one.pid for one in seen.truth.operations}
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.of(pid=seen.ring.pid))
    assert len(seen.ring.activities) == 900


def test_after_a_kill_what_was_drained_is_there_with_a_window(traced):
    seen = traced("killed", 3000, status=-9)
    assert [window.end for window in seen.ring.windows] == ["planned"] * len(seen.ring.windows) and len(seen.ring.windows) >= 2
    for before, after in zip(seen.ring.windows, seen.ring.windows[1:]):
        assert before.end_ns == after.start_ns
    covered = [one for one in seen.truth.operations if seen.ring.covers(one.start_ns)]
    assert len(covered) > 1000
    assert {one.correlation for one in covered} <= {one.correlation for one in seen.ring.activities}


def test_an_end_without_handlers_leaves_what_was_drained(traced):
    seen = traced("_exit", 2500)
    covered = [one for one in seen.truth.operations if seen.ring.covers(one.start_ns)]
    assert len(covered) > 700
    assert {one.correlation for one in covered} <= {one.correlation for one in seen.ring.activities}


def test_what_still_runs_at_the_end_is_waited_for_no_longer_than_a_moment(traced):
    began = time.monotonic()
    seen = traced("pending", slower=100)
    assert time.monotonic() - began < 10
    assert sum(window.dropped for window in seen.ring.windows) == 1 and seen.ring.activities == []


def test_a_program_that_becomes_another_has_one_ring_with_numbers_of_both(traced):
    seen = traced("execs")
    whole(seen.ring)
    names = collections.Counter(activity.name for activity in seen.ring.activities)
    assert names == {"_Z8a_kernelPfi": 55, "_Z14another_kernelPfi": 55}


def test_its_thread_has_a_name_and_blocks_every_signal(traced):
    lines = traced("counts").done.stdout.splitlines()
    threads = dict(zip((line.split()[1] for line in lines if line.startswith("Name")), (line.split()[1] for line in lines if line.startswith("SigBlk"))))
    # all but SIGKILL, SIGSTOP and the two that the C library keeps for itself
    assert int(threads["flatout-trace"], 16) | 1 << 8 | 1 << 18 | 3 << 31 == (1 << 64) - 1
    assert int(threads["traced"], 16) & ~(1 << 16) == 0  # SIGCHLD is system()'s


def test_a_process_that_only_asks_what_devices_there_are_has_no_ring(traced):
    assert traced("asks").rings == []


@pytest.mark.parametrize("env", [{"FLATOUT_TRACE": "no"}, {"FLATOUT_RING_DIR": ""}, {"FLATOUT_RING_DIR": "/gone/away"}], ids=["off", "no folder", "gone"])
def test_without_an_order_or_a_folder_it_does_nothing(traced, env):
    seen = traced("launches", 50, env=env)
    assert seen.done.stdout == "done\n" and seen.rings == []


def test_a_program_without_cuda_loads_nothing(tmp_path):
    maps = subprocess.run(["cat", "/proc/self/maps"], env={"CUDA_INJECTION64_PATH": str(LIBRARY)}, capture_output=True, text=True, check=True).stdout
    assert "libc.so" in maps and "flatout" not in maps


@pytest.fixture
def without_cupti(tmp_path):
    """A folder of the simulated libraries with no CUPTI among them."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for path in (machine.BUILT / "lib").glob("lib*.so*"):
        if not path.name.startswith("libcupti"):
            (folder / path.name).symlink_to(path.resolve())
    return folder


@pytest.mark.parametrize("there", ["none", "another"])
def test_without_cupti_there_is_one_fact_and_no_trace(traced, without_cupti, there):
    why = "no libcupti.so.13 or libcupti.so.12 was found"
    if there == "another":
        why = "libcupti lacks a function of its activity API"
        subprocess.run(["gcc", "-shared", "-xc", os.devnull, "-o", str(without_cupti / "libcupti.so.13"), "-Wl,-soname,libcupti.so.13"], check=True)
    seen = traced("launches", 50, env={"LD_LIBRARY_PATH": without_cupti})
    if there == "none" and seen.facts[0].get("cupti"):
        pytest.skip("the CUPTI of a CUDA toolkit is installed here")
    assert seen.facts == [{"state": "absent", "why": why}]
    assert (seen.ring.activities, seen.ring.calls, seen.ring.windows) == ([], [], [])


def test_cupti_is_found_in_the_folder_that_wheels_have_it_in(traced, without_cupti):
    beside = without_cupti.parent.parent / "cuda_cupti" / "lib"
    beside.mkdir(parents=True)
    (beside / "libcupti.so.13").symlink_to(machine.BUILT / "lib" / "libcupti.so.13")
    wheel = without_cupti.parent.parent / "cuda_runtime" / "lib"
    wheel.parent.mkdir()
    without_cupti.rename(wheel)
    seen = traced("launches", 50, env={"LD_LIBRARY_PATH": wheel})
    assert_agrees(seen.ring, seen.truth.operations)


def test_a_client_that_comes_between_windows_gets_all_its_records(traced):
    seen = traced("subscribes", trace="windows", delay_ms=0, window_ms=50)
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 3000, "foreign": 0}
    assert [window.end for window in seen.ring.windows] == ["planned"] and len(seen.ring.activities) <= 200


def test_beside_a_client_of_callbacks_nothing_is_left_on(traced):
    seen = traced("subscribes", "alone", buffer_bytes=4096)
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 0, "foreign": 0}
    assert [fact["state"] for fact in seen.facts] == ["on", "yielded"]
    assert 200 < len(seen.ring.activities) < 3200


def test_a_client_that_comes_without_a_word_gets_all_its_records(traced):
    seen = traced("subscribes")
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 3000, "foreign": 0}
    assert [fact["state"] for fact in seen.facts] == ["on", "yielded"]
    assert seen.ring.windows[-1].end == "yielded"
    assert len(seen.ring.activities) >= 200


# --- PyTorch ---

PROFILED = """
import json
import os
import time

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(256, 256).cuda()


def work(count):
    for _ in range(count):
        (x @ x + 1).relu()
    torch.cuda.synchronize()


work(50)
seen = []
for _ in range(2):
    work(10)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        work(40)
    seen.append(sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events()))
work(30)
print("TOLD", json.dumps(seen), flush=True)
"""


@pytest.fixture
def under_hooks(simgpu, tmp_path):
    """A PyTorch program under the agent, with flatout's hooks unless they are not wanted."""

    def run(program, trace="kernels", hooks=True, env=None, arguments=(), **how):
        rings = tmp_path / "rings"
        rings.mkdir(exist_ok=True)
        more = {"CUDA_INJECTION64_PATH": LIBRARY, "FLATOUT_RING_DIR": rings, "FLATOUT_TRACE": trace, **(env or {})}
        if hooks:
            more["PYTHONPATH"] = os.pathsep.join([str(HOOKS), str(machine.BUILT / "site")])
        result = simgpu.run(program, *arguments, env=more, **how)
        assert result.status == 0, result.output
        return Traced(result, read_trace_rings(rings), result.truth)

    return run


def told(seen):
    return json.loads(re.search(r"^TOLD (.*)$", seen.done.output, re.MULTILINE)[1])


@pytest.mark.parametrize("trace", ["kernels", "windows"])
def test_torch_profiler_gets_all_its_records_and_tracing_yields(under_hooks, trace):
    seen = under_hooks(PROFILED, trace, env={"FLATOUT_TRACE_DELAY_MS": 0, "FLATOUT_TRACE_WINDOW_MS": 60000})
    assert told(seen) == [120, 120]
    assert seen.facts[-1] == {"cupti": "13.0", "state": "yielded", "why": "torch.profiler needs CUPTI"}
    assert [fact["state"] for fact in seen.facts] == ["on", "yielded"]
    window = seen.ring.windows[-1]
    assert window.end == "yielded"
    if trace == "kernels":
        before = [one for one in seen.truth.operations if one.enqueued_ns < window.end_ns]
        assert len(before) == 1 + 60 * 3
        assert_agrees(seen.ring, before)


def test_a_profiler_that_comes_before_cuda_keeps_tracing_off(under_hooks):
    seen = under_hooks(PROFILED.replace("x = ", "with profile(activities=[ProfilerActivity.CUDA]):\n    pass\nx = "))
    assert told(seen) == [120, 120]
    assert seen.facts[-1]["state"] == "yielded" and seen.ring.activities == []


def test_a_profiler_of_the_cpu_alone_takes_nothing_away(under_hooks):
    seen = under_hooks(PROFILED.replace("ProfilerActivity.CPU, ProfilerActivity.CUDA", "ProfilerActivity.CPU"))
    assert told(seen) == [0, 0]
    assert [fact["state"] for fact in seen.facts] == ["on"]
    assert_agrees(seen.ring, seen.truth.operations)


TRAINING = """
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.Linear(256, 16)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
pinned = torch.randn(64, 256).pin_memory()
side = torch.cuda.Stream()


def step(batch):
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    return loss


for _ in range(3):
    step(torch.randn(64, 256).cuda())
    step(pinned.to("cuda", non_blocking=True)).item()
    with torch.cuda.stream(side):
        (pinned.to("cuda", non_blocking=True) @ torch.ones(256, 4, device="cuda")).cpu()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
static = torch.ones(64, 64, device="cuda")
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    again = (static @ static).relu()
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
"""


def test_a_training_program_with_a_graph_is_traced_as_it_was(under_hooks):
    seen = under_hooks(TRAINING)
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.operations)
    assert sum(one.graph != 0 for one in seen.ring.activities) == 10
    assert "cudaGraphLaunch" in {call.name for call in seen.ring.calls}


def test_two_devices_are_told_apart(under_hooks):
    program = "import torch\nfor device in (0, 1):\n    torch.ones(1000, device=f'cuda:{device}').mul(2).cpu()\n"
    seen = under_hooks(program + "x = torch.ones(1000, device='cuda:0').to('cuda:1')\ntorch.cuda.synchronize()\n", devices=2)
    assert_agrees(seen.ring, seen.truth.operations)
    assert {one.device for one in seen.ring.activities} == {0, 1}


def test_without_the_hooks_the_program_is_traced_as_well(under_hooks):
    seen = under_hooks(TRAINING, hooks=False)
    assert_agrees(seen.ring, seen.truth.operations)


# Streams, workers that are forked, graphs, copies of each sort, two devices and autograd's threads, as users write them.
ZOO = ("launch_bound", "starved_4w", "pageable_copies", "whole_step_graph", "two_devices")
# The programs end by os._exit(), which leaves nobody time to write the last records.
ENDING = "import os, runpy, sys\nos._exit = sys.exit\nrunpy.run_path(sys.argv[1], run_name='__main__')\n"


@pytest.mark.parametrize("name", ZOO)
def test_programs_of_the_zoo_are_traced_as_they_were(under_hooks, tmp_path, name):
    (tmp_path / "program.py").write_text(ENDING)
    env = {"ZOO_MARKS": tmp_path / "marks.json", "ZOO_SCALE": "0.1", "FLATOUT_TRACE_RING_BYTES": 64 << 20}
    path = HERE / "zoo" / "programs" / f"{name}.py"
    seen = under_hooks(str(tmp_path / "program.py"), arguments=[path], env=env, devices=2 if name == "two_devices" else 1)
    assert len(seen.truth.operations) > 300
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.of(pid=seen.ring.pid))
