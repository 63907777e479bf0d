"""Calls each thing that flatout hooks, doing next to nothing itself, and writes
the time of a call. Run plain and observed: the difference is the hook.

hook_calls.py OUT
"""

import io
import json
import statistics
import sys
import time

import torch

CALLS, ROUNDS = 2000, 15
PAUSE_S = 0.15  # the recorder empties the ring meanwhile, so no call finds it full


class Nothing(torch.nn.Module):
    def forward(self, x):
        return x


class NoStep(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    def step(self, closure=None):
        return None


class Same(torch.utils.data.Dataset):
    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        return index


def first(samples):
    return samples[0]


torch.set_num_threads(1)
x, leaf = torch.ones(1), torch.ones(1, requires_grad=True)
module, optimizer = Nothing(), NoStep([leaf])
draws = iter(torch.utils.data.DataLoader(Same(), batch_size=1, collate_fn=first))
grad = torch.ones(1)


def backward():
    leaf.backward(grad)


def save():
    torch.save(0, io.BytesIO())


# name: (what to call, phase events a call makes when hooked)
CASES = {
    "forward": (lambda: module(x), 2),
    "backward": (backward, 2),
    "optimizer": (optimizer.step, 2),
    "data_wait": (lambda: next(draws), 2),
    "checkpoint": (save, 2),
}


def per_call_ns(call, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


measured = {}
for name, (call, events) in CASES.items():
    calls = CALLS // 10 if name == "checkpoint" else CALLS
    per_call_ns(call, calls)
    rounds = []
    for _ in range(ROUNDS):
        rounds.append(per_call_ns(call, calls))
        time.sleep(PAUSE_S)
    measured[name] = {"ns": statistics.median(rounds), "least_ns": min(rounds), "events": events}
with open(sys.argv[1], "w") as out:
    json.dump(measured, out)
