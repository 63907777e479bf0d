"""Prints how often code of the program's own runs in what flatout looks at: datasets that are joined, indices, batch samplers,
loaders, iterators, scalers."""

import collections
import sys
from pathlib import Path

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset
from torch.utils.data.dataloader import _SingleProcessDataLoaderIter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import eager  # noqa: E402, F401

calls = collections.Counter()


class Answers:
    """Counts what is asked of it that it does not have, and being told apart."""

    def __getattr__(self, name):
        calls[type(self).__name__ + " " + name] += 1
        raise AttributeError(name)

    def __hash__(self):
        calls[type(self).__name__ + " __hash__"] += 1
        return id(self)

    def __eq__(self, other):
        calls[type(self).__name__ + " __eq__"] += 1
        return self is other


class Rows(Answers, Dataset):
    def __len__(self):
        calls["Rows __len__"] += 1
        return 8

    def __getitem__(self, index):
        return torch.full((4,), float(index))


class Indices(list):
    def __iter__(self):
        calls["Indices __iter__"] += 1
        return super().__iter__()


class Batches(Answers):
    def __init__(self):
        self.size = 4

    def __iter__(self):
        calls["Batches __iter__"] += 1
        return iter([[0, 1, 2, 3], [4, 5, 6, 7]])

    def __len__(self):
        calls["Batches __len__"] += 1
        return 2

    @property
    def batch_size(self):
        calls["Batches batch_size"] += 1
        return 4


class Loader(Answers, DataLoader):
    def _get_iterator(self):
        return Drawn(self)


class Drawn(Answers, _SingleProcessDataLoaderIter):
    pass


class Scaler(Answers, torch.amp.GradScaler):
    def is_enabled(self):
        calls["Scaler is_enabled"] += 1
        return super().is_enabled()


class Model(torch.nn.Linear):
    pass


model = Model(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = Scaler("cpu")
loaders = (
    DataLoader(ConcatDataset([Rows(), Rows()]), batch_size=4),
    DataLoader(Subset(Rows(), Indices(range(8))), batch_size=4),
    DataLoader(Rows(), batch_sampler=Batches()),
    Loader(Rows(), batch_size=4),
)
for loader in loaders:
    for _ in range(2):
        for rows in loader:
            optimizer.zero_grad()
            scaler.scale(model(rows).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
for name, count in sorted(calls.items()):
    print(name, count)
