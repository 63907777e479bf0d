"""Programs on the stand-in for torch.cuda: `cuda_programs.py NAME` runs one under the hooks
and prints the folder of its ring and the calls that the device got."""

import json
import os
import sys
import threading

from comm_stand_in import DistributedDataParallel, ProcessGroup
from cuda_stand_in import NOW, OCCASIONS, CUDAGraph, Tensor, calls, cuda, driver, install
from native import NUMBER, load_with_ring

native, folder = load_with_ring()


def phase(name, device_ms=0.0, host_ms=0.0):
    native.begin(NUMBER[name])
    NOW["device_done_ms"] = max(NOW["device_done_ms"], NOW["host_ms"]) + device_ms
    NOW["host_ms"] += host_ms
    native.end(NUMBER[name])


def a_loop():
    cuda.started = False
    Tensor().to("cuda")  # before CUDA was started: passes through, and is a copy all the same
    cuda.started = True
    for _ in range(5):
        x = Tensor().to("cuda")
        phase("forward", device_ms=7, host_ms=1)  # launches only
        phase("optimizer", device_ms=3)
        x.item()
        Tensor().item()  # on the host: no sync
        NOW["host_ms"] += 5


def pinned_non_blocking():
    cuda.started = False
    phase("optimizer")  # training, of which the device gets nothing
    cuda.started = True
    for _ in range(5):
        NOW["host_ms"] = NOW["device_done_ms"] + 1  # the device has nothing to do
        Tensor(pinned=True).to("cuda", non_blocking=True)


def a_model_that_moves():
    for _ in range(5):
        Tensor().to("cuda")
    for _ in range(5):
        phase("optimizer")


def tensors_of_the_host():
    for _ in range(20):
        Tensor().item()
        Tensor().to("float16")
        Tensor().cpu()


def tensors_of_the_device():
    for name in ("cpu", "item", "tolist", "numpy", "__bool__", "__float__", "__int__"):
        getattr(Tensor(True), name)()
        getattr(Tensor(), name)()


def a_capture(own_stream):
    driver.current_captures = int(own_stream)
    for _ in range(4):
        phase("forward", device_ms=1, host_ms=2)
    graph = CUDAGraph()
    graph.capture_begin()
    for _ in range(30):
        phase("forward")
        Tensor().to("cuda")
    graph.capture_end()
    for _ in range(4):
        phase("backward", device_ms=1, host_ms=2)


def a_capture_that_fails():
    for _ in range(2):
        phase("forward", device_ms=1, host_ms=2)
    for spoiled in ("begin", "end"):
        graph = CUDAGraph()
        graph.spoiled = spoiled
        try:
            graph.capture_begin()
            phase("forward")
            graph.capture_end()
        except RuntimeError:
            pass
    for _ in range(4):
        phase("backward", device_ms=1, host_ms=2)


def captured(*phases, device_ms):
    graph = CUDAGraph()
    graph.device_ms = device_ms
    graph.capture_begin()
    for name in phases:
        phase(name)
    graph.capture_end()
    return graph


def whole_step_graph():
    native.optimizer_built()
    for _ in range(3):
        for name in ("forward", "backward", "optimizer"):
            phase(name, device_ms=1, host_ms=2)
    graph = captured("forward", "backward", "optimizer", device_ms=9)
    for _ in range(150):
        graph.replay()
        NOW["host_ms"] += 10
    print(native.steps_closed())


def graphs_of_parts():
    native.optimizer_built()
    forward, backward = captured("forward", device_ms=3), captured("backward", device_ms=6)
    for _ in range(10):
        native.begin(NUMBER["forward"])
        forward.replay()
        native.end(NUMBER["forward"])
        native.begin(NUMBER["backward"])
        backward.replay()
        native.end(NUMBER["backward"])
        phase("optimizer", device_ms=1)
        NOW["host_ms"] += 10


def a_graph_captured_anew():
    graph = captured("forward", "optimizer", device_ms=3)
    graph.replay()
    graph.capture_begin()
    phase("forward")
    graph.capture_end()
    graph.replay()


def collectives():
    group = ProcessGroup()
    for _ in range(10):
        phase("backward", device_ms=2, host_ms=1)
        group.allreduce([Tensor(True)], False).wait()
        group.allreduce([Tensor(True)], True).wait()
        NOW["host_ms"] += 20


def collectives_of_the_host():
    group = ProcessGroup()
    for _ in range(10):
        group.allreduce([Tensor()], False)


def data_parallel():
    wrapped = DistributedDataParallel()
    OCCASIONS.look(wrapped)
    native.fact("test.sooner", json.dumps(OCCASIONS.asked))
    OCCASIONS.asked.clear()
    for iteration in (10, 10, 100):
        wrapped.logger.measured(iteration)
        OCCASIONS.look(wrapped)
    wrapped.logger.measured(200)
    threading._shutdown()
    native.fact("test.sooner", json.dumps(OCCASIONS.asked))


def two_devices():
    for i in range(1200):
        driver.device = i // 20 % 2
        phase("forward", device_ms=1, host_ms=1)


def a_thread_without_a_device():
    driver.device = -1
    for _ in range(10):
        phase("forward", device_ms=1, host_ms=2)
        Tensor().to("cuda")
    print(json.dumps(calls()))
    driver.device = 0
    for _ in range(10):
        phase("backward", device_ms=1, host_ms=2)


def a_fork():
    """As with PyTorch: a child of a process that uses CUDA cannot."""
    for _ in range(5):
        phase("forward", device_ms=1, host_ms=2)
    before = calls()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        cuda.started = False
        for _ in range(5):
            phase("backward", device_ms=1, host_ms=2)
        os._exit(0 if calls() == before else 1)
    assert os.waitpid(child, 0)[1] == 0, "the child asked the device"
    for _ in range(5):
        phase("optimizer", device_ms=1, host_ms=2)


def a_fork_before_cuda():
    """Here the child may use it, and its clock is its own."""
    cuda.started = False
    phase("forward")
    sys.stdout.flush()
    if os.fork() == 0:
        cuda.started = True
        for _ in range(5):
            phase("backward", device_ms=1, host_ms=2)
        os._exit(0)
    os.wait()


def a_hook_that_fails():
    driver.fails = 700
    for _ in range(10):
        phase("forward", device_ms=1, host_ms=2)
        Tensor().to("cuda")


PROGRAMS = {
    "loop": a_loop,
    "pinned_non_blocking": pinned_non_blocking,
    "model_that_moves": a_model_that_moves,
    "host": tensors_of_the_host,
    "device": tensors_of_the_device,
    "capture": lambda: a_capture(True),
    "capture_of_another_stream": lambda: a_capture(False),
    "capture_that_fails": a_capture_that_fails,
    "whole_step_graph": whole_step_graph,
    "graphs_of_parts": graphs_of_parts,
    "graph_captured_anew": a_graph_captured_anew,
    "collectives": collectives,
    "collectives_of_the_host": collectives_of_the_host,
    "data_parallel": data_parallel,
    "two_devices": two_devices,
    "thread_without_a_device": a_thread_without_a_device,
    "fork": a_fork,
    "fork_before_cuda": a_fork_before_cuda,
    "fails": a_hook_that_fails,
}

install(native)
cuda.started = True
PROGRAMS[sys.argv[1]]()
print(folder)
print(json.dumps(calls()))
