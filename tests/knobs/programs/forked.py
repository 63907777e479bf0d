"""Trains in this process, and then in one that it makes by fork."""

import json
import os

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, TensorDataset


def train():
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (x,) in DataLoader(TensorDataset(torch.ones(8, 2)), batch_size=4):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


torch.set_num_threads(1)
train()
pid = os.fork()
if pid == 0:
    train()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
print(json.dumps({}))
