"""A training whose loop may change the dataset between epochs; argv[1] = JSON of choices.
Prints the levels of the samples and the processes that fetched them, epoch by epoch."""

import json
import os
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class Add:
    __slots__ = ("level",)

    def __init__(self):
        self.level = 0

    def __call__(self, x):
        return x + self.level


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x


class Levels(Dataset):
    level = 0

    def __init__(self):
        self.transform = Compose([Add()])
        self.paths = ["%d.jpg" % number for number in range(1000)]

    def __len__(self):
        return 16

    def __getitem__(self, _index):
        return self.transform(torch.full((2,), float(self.level))), os.getpid()


class Hostile(Add):
    __slots__ = ()

    def fail(self, *_arguments):
        raise RuntimeError("nobody but the program may ask")

    __eq__ = __ne__ = __bool__ = __hash__ = __len__ = __getattr__ = fail
    other = property(fail)


def main(choices):
    dataset = Levels()
    if choices.get("hostile"):
        dataset.transform.transforms = [Hostile()]
    changed = {"dataset": dataset, "class": Levels, "transform": dataset.transform.transforms[0], "nothing": None}
    changed = changed[choices["changed"]]
    given = Subset(dataset, range(16)) if choices.get("subset") else dataset
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    loader = DataLoader(given, batch_size=4, **{"num_workers": 2, **choices.get("loader", {})})
    levels, fetched_by = [], []
    for epoch in range(4):
        if changed is not None:
            changed.level = epoch // 2
        seen, processes = set(), set()
        for x, pid in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            seen |= set(x.flatten().tolist())
            processes |= set(pid.tolist())
        levels.append(sorted(seen))
        fetched_by.append(sorted(processes))
    print(json.dumps({"levels": levels, "fetched_by": fetched_by, "persistent": loader.persistent_workers}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
