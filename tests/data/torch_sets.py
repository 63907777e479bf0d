"""Datasets and samplers for tests of flatout.torch.DataLoader. Here, and not in a test, so that workers can import them."""

import random

import numpy
import torch
from torch.utils.data import Dataset, IterableDataset, Sampler, get_worker_info


class Numbers(Dataset):
    def __init__(self, size=23):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, number):
        return number


class Drawn(Numbers):
    """Each sample draws from every generator that a worker seeds."""

    def __getitem__(self, number):
        return number, torch.rand(1).item(), random.random(), float(numpy.random.rand())


class Holes(Numbers):
    """Some samples cannot be read."""

    def __init__(self, size, bad):
        super().__init__(size)
        self.bad = bad

    def __getitem__(self, number):
        if number in self.bad:
            raise OSError("file %d is cut off" % number)
        return number


class Counter(Numbers):
    """Keeps a state in each process that reads it."""

    reads = 0

    def __getitem__(self, number):
        self.reads += 1
        return number, self.reads

    def state_dict(self):
        return {"reads": self.reads}

    def load_state_dict(self, state):
        self.reads = state["reads"]


def shard(size):
    """Worker 0 has fewer numbers than the others, so that it ends early."""
    info = get_worker_info()
    worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
    return range(worker, size if worker else size // 2, workers)


class Stream(IterableDataset):
    """Without a state."""

    def __init__(self, size=40):
        self.size = size

    def __iter__(self):
        for number in shard(self.size):
            yield number, random.random() if get_worker_info() else 0.0


class Tape:
    """An iterator with a state, which can continue after a sample that cannot be read."""

    def __init__(self, numbers, bad=()):
        self.numbers, self.place, self.bad = numbers, 0, bad

    def __iter__(self):
        return self

    def __next__(self):
        if self.place >= len(self.numbers):
            raise StopIteration
        number = self.numbers[self.place]
        self.place += 1
        if number in self.bad:
            raise OSError("record %d is cut off" % number)
        return number, random.random() if get_worker_info() else 0.0

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


class Taped(Stream):
    bad = ()

    def __iter__(self):
        return Tape(shard(self.size), self.bad)


class Odd(Sampler):
    """Not one that torch knows; draws from Python's generator when it is begun."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __iter__(self):
        numbers = list(range(self.size))
        random.shuffle(numbers)
        return iter(numbers)


class Remembers(Odd):
    """Its iterator keeps a state."""

    def __iter__(self):
        return Remembered(self.size)


class Remembered:
    def __init__(self, size):
        self.size, self.place = size, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place == self.size:
            raise StopIteration
        self.place += 1
        return self.place * 7 % self.size

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


def plain(samples):
    return samples


def epoch(loader):
    return [batch.tolist() if isinstance(batch, torch.Tensor) else batch for batch in loader]
