"""Trains 200 short steps and prints, as JSON, how often each Python function of flatout's was called meanwhile.
argv[1]: "loader" to draw its batches from one."""

import collections
import json
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import eager  # noqa: E402, F401

STEPS = 200
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
rows = torch.randn(STEPS + 20, 4)
batches = iter(DataLoader(TensorDataset(rows)) if sys.argv[1] == "loader" else [(row[None],) for row in rows])
calls = collections.Counter()


def count(frame, event, _argument):
    if event == "call" and "/flatout/hooks/" in frame.f_code.co_filename:
        calls[frame.f_code.co_name] += 1


def steps(number):
    for _ in range(number):
        (batch,) = next(batches)
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


steps(10)  # what is looked at once is over
sys.setprofile(count)
steps(STEPS)
sys.setprofile(None)
print(json.dumps(calls))
