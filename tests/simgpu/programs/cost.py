"""Loops whose cost under flatout is counted: prints, as JSON and for each, what a step called of the simulated libraries; as
`cost.py times`, for bench/cuda_cost.py, CPU time of a step in this thread instead.

    phases   those of a step with a loader and next to nothing in them, so that the cost of the hooks stands out; its time before
             CUDA was started is said as well
    tiny     500 tiny kernels, and a loader
    copies   a loader, two pageable copies and a pinned one, forward, backward, optimizer, and loss.item()
    blocking two pageable copies alone
    replay   a whole step as a CUDA graph
"""

import json
import os
import pathlib
import struct
import sys
import time

import torch
from torch import nn

CALL = struct.Struct("<64sQQ")  # truth.py
WARM_UP, STEPS = 20, 100
ROWS, ROW = 80, 10  # rows of steps that are timed, steps of each
torch.set_num_threads(1)


class Rows(torch.utils.data.Dataset):
    def __init__(self, size):
        self.row = torch.zeros(size)

    def __len__(self):
        return 1 << 20

    def __getitem__(self, _index):
        return self.row, 0


def batches(size, batch_size=32, **options):
    return iter(torch.utils.data.DataLoader(Rows(size), batch_size=batch_size, **options))


def copies():
    net = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    drawn, pinned = batches(256), torch.zeros(32, 256).pin_memory()

    def step():
        x, y = next(drawn)
        x, y = x.to("cuda") + pinned.to("cuda", non_blocking=True), y.cuda()
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


class Tiny(nn.Module):
    def __init__(self, kernels):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(4, device="cuda"))
        self.kernels = kernels

    def forward(self, x):
        x = x * self.weight
        for _ in range(self.kernels):
            x = x + 1
        return x.sum()


def tiny():
    net = Tiny(490)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    drawn, x = batches(4), torch.zeros(4, device="cuda")

    def step():
        next(drawn)
        net(x).backward()
        optimizer.step()

    return step


def replay():
    net = Tiny(20)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x = torch.zeros(4, device="cuda")

    def whole():
        optimizer.zero_grad(set_to_none=True)
        net(x).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            whole()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        whole()
    return graph.replay


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x * self.weight


def phases():
    net = Scale()
    optimizer = torch.optim.SGD(net.parameters(), 0.1, foreach=False)
    drawn, x = batches(1, batch_size=None), torch.zeros(())

    def step():
        next(drawn)
        net(x).backward()
        optimizer.step()

    return step


def blocking():
    x = torch.zeros(4)

    def step():
        x.to("cuda")
        x.cuda()

    return step


def calls():
    path = pathlib.Path(os.environ["SIMGPU_TRUTH"], "%d.calls" % os.getpid())
    rows = CALL.iter_unpack(path.read_bytes())
    return {name.rstrip(b"\0").decode(): count for name, count, _host_ns in rows if count}


def added(before, after, steps):
    """{name: calls a step}"""
    return {name: (count - before.get(name, 0)) / steps for name, count in after.items() if count != before.get(name, 0)}


def cpu_ns(step):
    """Of a step, in the least disturbed of several rows of them."""
    rows = []
    for _ in range(ROWS):
        begin = time.thread_time_ns()
        for _ in range(ROW):
            step()
        rows.append((time.thread_time_ns() - begin) / ROW)
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()  # the device comes along, as it does with real steps
    return min(rows)


def counted(step):
    """What a step calls."""
    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()
    before = calls()
    for _ in range(STEPS):
        step()
    return added(before, calls(), STEPS)


def python_calls(step):
    """{function of flatout's hooks: calls a step}"""
    seen = {}

    def count(frame, event, _argument):
        if event == "call" and "/flatout/hooks/" in frame.f_code.co_filename:
            seen[frame.f_code.co_name] = seen.get(frame.f_code.co_name, 0) + 1 / STEPS

    sys.setprofile(count)
    for _ in range(STEPS):
        step()
    sys.setprofile(None)
    return seen


def times():
    step = phases()
    told = {"phases": {"cpu_ns_without_cuda": cpu_ns(step)}}
    torch.zeros(1, device="cuda")
    told["phases"]["cpu_ns"] = cpu_ns(step)
    return {**told, "blocking": {"cpu_ns": cpu_ns(blocking())}}


def counts():
    torch.zeros(1, device="cuda")
    step = phases()
    for _ in range(WARM_UP):
        step()
    told = {"phases": {"python": python_calls(step)}}
    return {**told, **{loop.__name__: {"calls": counted(loop())} for loop in (tiny, copies, replay)}}


def main():
    print(json.dumps(times() if sys.argv[1:] == ["times"] else counts()), flush=True)


main()
os._exit(0)  # a thread of autograd that lets go of Python objects while Python 3.11 ends makes PyTorch abort
