"""Prints how often each method of a dataset is called; loaders of every kind draw from it."""

import collections
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset, Subset

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import eager  # noqa: E402, F401

calls = collections.Counter()


class Hostile(Dataset):
    def __len__(self):
        calls["__len__"] += 1
        return 8

    def __getitem__(self, index):
        calls["__getitem__"] += 1
        return torch.full((4,), float(index))

    def __bool__(self):
        calls["__bool__"] += 1
        return True

    def __eq__(self, other):
        calls["__eq__"] += 1
        return self is other

    def __hash__(self):
        calls["__hash__"] += 1
        return 1

    def __repr__(self):
        calls["__repr__"] += 1
        return "Hostile"

    def __getattr__(self, name):
        calls["__getattr__ " + name] += 1
        raise AttributeError(name)


class Brightness:
    """A transform that answers for each attribute, and for what it is."""

    def __call__(self, sample):
        return sample * 2

    @property
    def __class__(self):
        calls["__class__"] += 1
        return Brightness

    def __getattr__(self, name):
        calls["transform __getattr__ " + name] += 1
        raise AttributeError(name)


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, sample):
        for transform in self.transforms:
            sample = transform(sample)
        return sample


class Transformed(Dataset):
    def __init__(self):
        self.transform = Compose([Brightness(), Brightness()])

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.transform(torch.full((4,), float(index)))


class Loader(DataLoader):
    def __hash__(self):
        calls["loader __hash__"] += 1
        return 1

    def __eq__(self, other):
        calls["loader __eq__"] += 1
        return self is other


class Descent(torch.optim.SGD):
    @property
    def param_groups(self):
        calls["param_groups"] += 1
        return vars(self)["param_groups"]

    @param_groups.setter
    def param_groups(self, groups):
        vars(self)["param_groups"] = groups


class Forwards(torch.nn.Linear):
    def __getattribute__(self, name):
        calls["model __getattribute__ " + name] += 1
        return super().__getattribute__(name)

    def __getattr__(self, name):
        calls["model __getattr__ " + name] += 1
        return super().__getattr__(name)

    @property
    def training(self):
        calls["training"] += 1
        return True

    @training.setter
    def training(self, value):
        vars(self)["training"] = value

    def parameters(self, *args, **kwargs):
        calls["parameters"] += 1
        return super().parameters(*args, **kwargs)

    def __bool__(self):
        calls["model __bool__"] += 1
        return True


data, model = Hostile(), Forwards(4, 1)
optimizer = Descent(model.parameters(), lr=0.1)
for loader in (DataLoader(data, batch_size=4), DataLoader(data, batch_size=4, shuffle=True), DataLoader(Subset(data, range(4)), batch_size=2),
               Loader(Transformed(), batch_size=4), Loader(Transformed(), batch_size=4)):  # fmt: skip
    for _ in range(2):
        for rows in loader:
            optimizer.zero_grad()
            model(rows).sum().backward()
            optimizer.step()
print(sorted(calls.items()))
