"""Trains with dropout, a schedule and weight decay until it is ended, and prints the loss of each step.

    from_one_state.py JSON    {"optimizer", "loader", "hidden": gc.freeze() hides all, "kind": of a parameter}
"""

import gc
import json
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset

choices = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
torch.manual_seed(0)
torch.set_num_threads(1)


class Numbers(Dataset):
    def __len__(self):
        return 80000

    def __getitem__(self, index):
        return torch.sin(torch.arange(16.0) * index), index % 4


class Odd(torch.Tensor):
    pass


model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(32, 4))
if choices.get("kind") == "odd":
    model.register_buffer("odd", torch.zeros(2).as_subclass(Odd))
optimizer = {
    "AdamW": lambda: torch.optim.AdamW(model.parameters(), lr=0.01),
    "SGD": lambda: torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9),
    "Adagrad": lambda: torch.optim.Adagrad(model.parameters()),
}[choices.get("optimizer", "AdamW")]()
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.999)
same = torch.randn(8, 16), torch.arange(8) % 4


def batches():
    if choices.get("loader"):
        yield from DataLoader(Numbers(), batch_size=8, shuffle=True)
    while True:
        yield same


if choices.get("hidden"):
    gc.freeze()
for inputs, labels in batches():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    schedule.step()
    print(json.dumps(loss.item()), flush=True)
