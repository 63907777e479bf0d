"""Loaders that the program builds itself, with a batch sampler, by a class of its own, and that a library builds (a module of its name)."""

import sys
import types

import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler


class Endless(DataLoader):
    def __init__(self, dataset, **arguments):
        super().__init__(dataset, **arguments)


library = types.ModuleType("fastai")
sys.modules["fastai"] = library
exec("from torch.utils.data import DataLoader\ndef load(data): return DataLoader(data, batch_size=4)\n", library.__dict__)

data = list(range(8))
model = torch.nn.Linear(1, 1)
for loader in (DataLoader(data, batch_size=4), DataLoader(data, batch_sampler=BatchSampler(SequentialSampler(data), 4, False)),
               Endless(data, batch_size=4), library.load([*data])):  # fmt: skip
    for batch in loader:
        model(batch[:, None].float()).sum().backward()
