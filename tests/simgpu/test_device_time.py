"""The hooks' device time beside what programs do with CUDA that forbids or disturbs it: captures in each mode, threads, devices, forks."""

import json
import subprocess
import sys

import harness
import pytest

PREAMBLE = """
import os
import sys
import threading

import torch

torch.set_num_threads(1)


def trainer(device):
    net = torch.nn.Linear(64, 64).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x = torch.zeros(64, 64, device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).sum().backward()
        optimizer.step()

    return step
"""


def reported(simgpu, program, devices=1):
    """The report of a program that must end well, which is what a forbidden call would prevent."""
    scratch = simgpu.scratch()
    # Ends at once: a thread of autograd that lets go of Python objects while Python 3.11 ends makes PyTorch abort.
    (scratch / "program.py").write_text(PREAMBLE + program + "\nsys.stdout.flush()\nos._exit(0)\n")
    environment = simgpu.environment(scratch, devices=devices, env={"FLATOUT_HOME": scratch / "home"})
    command = [harness.flatout_bin(), "run", "--quiet", "--no-bench", "--json", scratch / "report.json", "--", sys.executable, scratch / "program.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((scratch / "report.json").read_text())


CAPTURE = """
step = trainer("cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(5):
        step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side, capture_error_mode=%r):
    step()
    torch.zeros(4).pin_memory().to("cuda", non_blocking=True)
for _ in range(50):
    graph.replay()
torch.cuda.synchronize()
for _ in range(20):
    step()
torch.cuda.synchronize()
"""


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
@pytest.mark.every_change("global")
def test_a_capture_is_not_spoiled_and_time_goes_on_behind_it(simgpu, mode):
    report = reported(simgpu, CAPTURE % mode)
    assert not [note for note in report.get("notes", []) if "missing from here on" in note]
    assert any("capture" in note for note in report["notes"])
    assert report["steps"]["count"] > 60


THREADS = """
captured = threading.Event()


def trains_on():
    step = trainer("cuda")
    while not captured.is_set():
        step()


other = threading.Thread(target=trains_on)
other.start()
step = trainer("cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.synchronize()
for _ in range(5):
    graph = torch.cuda.CUDAGraph()
    # Global mode forbids what the other thread itself does: allocations.
    with torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
        step()
    graph.replay()
captured.set()
other.join()
torch.cuda.synchronize()
"""


def test_one_thread_trains_while_another_captures(simgpu):
    report = reported(simgpu, THREADS)
    assert not [note for note in report.get("notes", []) if "missing from here on" in note]


DEVICES = """
steps = [trainer("cuda:0"), trainer("cuda:1")]
for i in range(400):
    with torch.cuda.device(i // 7 % 2):
        steps[i // 7 % 2]()
torch.cuda.synchronize(0)
torch.cuda.synchronize(1)
"""


def test_two_devices_in_turn_are_both_timed(simgpu):
    report = reported(simgpu, DEVICES, devices=2)
    assert not [note for note in report.get("notes", []) if "missing from here on" in note]
    assert report["steps"]["phases_device"]["backward"] > 0


FORK = """
step = trainer("cuda")
for _ in range(20):
    step()
child = os.fork()
if child == 0:
    net = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for _ in range(20):
        net(torch.zeros(4, 4))  # PyTorch itself has no backward in such a child
        optimizer.step()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
for _ in range(20):
    step()
torch.cuda.synchronize()
"""


def test_a_child_that_was_forked_goes_on_without_the_device(simgpu):
    report = reported(simgpu, FORK)
    assert not [note for note in report.get("notes", []) if "missing from here on" in note]
