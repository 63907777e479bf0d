"""libflatout_inject.so in PyTorch's programs, with flatout's hooks and without: its ring has what the truth has."""

import json
import os
import pathlib
import re

import machine
import pytest
from trace_checks import HOOKS, LIBRARY, Traced, assert_agrees, whole
from trace_ring import read_trace_rings

HERE = pathlib.Path(__file__).resolve().parent

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
    assert seen.facts[-1] == {"mode": trace, "cupti": "13.0", "state": "yielded", "why": "torch.profiler needs CUPTI"}
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


STEPS = """
import torch

model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(STEPS):
    model(torch.ones(8, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
"""


@pytest.mark.parametrize("steps, windows", [(400, 1), (8, 0)])
def test_a_window_begins_once_steps_are_no_warm_up(under_hooks, steps, windows):
    env = {"FLATOUT_TRACE_DELAY_MS": 600_000, "FLATOUT_TRACE_WINDOW_MS": 60_000}
    seen = under_hooks(STEPS.replace("STEPS", str(steps)), "windows", env=env)
    rings = [ring for ring in seen.rings if ring.windows]
    assert len(rings) == windows
    for ring in rings:
        # One window. On a machine that takes more than a second for it, it is written in pieces.
        pieces = sorted(ring.windows, key=lambda window: window.start_ns)
        assert [piece.end for piece in pieces] == ["planned"] * (len(pieces) - 1) + ["exit"]
        assert all(before.end_ns == after.start_ns for before, after in zip(pieces, pieces[1:]))
        kernels = sum(one.kind == "kernel" for one in ring.activities)
        all_kernels = sum(one.kind == "kernel" for one in seen.truth.operations)
        assert 0.5 * all_kernels < kernels < all_kernels * (1 - 10 / steps)
        assert any(call.correlation for call in ring.calls)


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
# The programs end by os._exit(), which leaves nobody time to write the last records. All of exit() is had here but the end of
# the interpreter: a thread of autograd that still lets go of Python objects then is ended by it, and PyTorch aborts at times.
ENDING = """
import atexit, ctypes, os, runpy, sys

def leave(status):
    atexit._run_exitfuncs()
    sys.stdout.flush()
    ctypes.PyDLL(None).exit(status)

os._exit = leave
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.every_change("launch_bound", "two_devices", "whole_step_graph")
def test_programs_of_the_zoo_are_traced_as_they_were(under_hooks, tmp_path, name):
    (tmp_path / "program.py").write_text(ENDING)
    env = {"ZOO_MARKS": tmp_path / "marks.json", "ZOO_SCALE": "0.1", "FLATOUT_TRACE_RING_BYTES": 64 << 20}
    path = HERE / "zoo" / "programs" / f"{name}.py"
    seen = under_hooks(str(tmp_path / "program.py"), arguments=[path], env=env, devices=2 if name == "two_devices" else 1)
    assert len(seen.truth.operations) > 300
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.of(pid=seen.ring.pid))


RANGES = """
import threading
import torch

x = torch.randn(64, 64).cuda()
given = []
for step in range(5):
    given.append(torch.cuda.nvtx.range_push("iteration %d" % step))
    with torch.cuda.nvtx.range("forward"):
        (x @ x).relu()
    torch.cuda.synchronize()
    given.append(torch.cuda.nvtx.range_pop())


def other():
    with torch.cuda.nvtx.range("of another thread"):
        pass


thread = threading.Thread(target=other)
thread.start()
thread.join()
given.append(torch.cuda.nvtx.range_pop())
torch.cuda.nvtx.mark("a mark")
print("TOLD", given, flush=True)
"""


def test_ranges_of_nvtx_are_in_the_ring_and_give_the_program_what_they_always_give(under_hooks, simgpu):
    seen = under_hooks(RANGES, env={"NVTX_INJECTION64_PATH": LIBRARY})
    ranges = seen.ring.ranges
    names = [one.name for one in ranges]
    assert sorted(names) == sorted([f"iteration {step}" for step in range(5)] + ["forward"] * 5 + ["of another thread"])
    outer = {one.name: one for one in ranges}
    for step in range(5):
        one = outer[f"iteration {step}"]
        inner = [other for other in ranges if other.name == "forward" and one.start_ns <= other.start_ns and other.end_ns <= one.end_ns]
        assert len(inner) == 1
        launches = [call for call in seen.ring.calls if call.correlation and one.start_ns <= call.start_ns < one.end_ns]
        assert len(launches) >= 2 and all(call.tid == one.tid for call in launches)
    assert outer["of another thread"].tid != outer["iteration 0"].tid
    assert [one.name for one in seen.ring.marks] == ["a mark"] and not seen.ring.started
    assert [window.dropped for window in seen.ring.windows] == [0]
    assert told(seen) == json.loads(re.search(r"^TOLD (.*)$", simgpu.run(RANGES).output, re.MULTILINE)[1])
