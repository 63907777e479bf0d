"""A small training; argv[1] = JSON of choices (see main). Prints, as one line of
JSON, what a program can see of it: losses bit by bit, the samples in their order,
which process fetched them, and the arguments of its loaders."""

import json
import os
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

LENGTH, BATCH = 24, 4


def sample(index):
    return torch.tensor([index / LENGTH, 1.0]), index, os.getpid()


class Plain(Dataset):
    def __len__(self):
        return LENGTH

    def __getitem__(self, index):
        return sample(index)


class Drawing(Plain):
    def __getitem__(self, index):
        x, *rest = sample(index)
        return x + torch.rand(()), *rest


class Opened(Plain):
    def __init__(self):
        self.inner = [open(__file__, "rb")]


class Closed(Plain):
    def __init__(self):
        self.file = open(__file__, "rb")
        self.file.close()


class Epochs(Plain):
    def set_epoch(self, _epoch):
        pass


class Stream(IterableDataset):
    def __iter__(self):
        return map(sample, range(LENGTH))


class Sharded(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return map(sample, range(first, LENGTH, step))


def shard(indices):
    info = torch.utils.data.get_worker_info()
    return indices[info.id :: info.num_workers] if info else indices


class ShardedByAFunction(IterableDataset):
    def indices(self):
        return shard(range(LENGTH))

    def __iter__(self):
        for index in self.indices():
            yield sample(index)


class Wrapped(IterableDataset):
    def __init__(self):
        self.dataset = ShardedByAFunction()

    def __iter__(self):
        return iter(self.dataset)


def take_a_shard(_worker):
    info = get_worker_info()
    info.dataset.first, info.dataset.step = info.id, info.num_workers


class ShardedAtStart(IterableDataset):
    first, step = 0, 1

    def __iter__(self):
        return map(sample, range(self.first, LENGTH, self.step))


def datapipe(sharded):
    pipe = torch.utils.data.datapipes.iter.IterableWrapper(range(LENGTH))
    return (pipe.sharding_filter() if sharded else pipe).map(sample)


def dataset_of(kind):
    if kind == "Tensors":
        index = torch.arange(LENGTH)
        return TensorDataset(torch.rand(LENGTH, 2), index, torch.full((LENGTH,), os.getpid()))
    if kind == "Lambda":
        made = Plain()
        made.transform = lambda x: x
        return made
    if kind.endswith("Pipe"):
        return datapipe(kind == "ShardedPipe")
    return globals()[kind]()


def arguments_of(loader):
    return [getattr(loader, name) for name in ("num_workers", "prefetch_factor", "persistent_workers", "pin_memory")]


class Training:
    def __init__(self, choices):
        torch.manual_seed(3)
        self.model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        extra = {"worker_init_fn": take_a_shard} if choices.get("init") else {}
        dataset = dataset_of(choices.get("dataset", "Plain"))
        self.loader = DataLoader(dataset, **{"batch_size": BATCH, **extra, **choices.get("loader", {})})
        self.held_out = DataLoader(Plain(), batch_size=BATCH)
        self.losses, self.order = [], []
        self.fetched_by = {"train": set(), "eval": set()}

    def epoch(self):
        self.model.train()
        for x, index, pid in self.loader:
            self.optimizer.zero_grad()
            loss = self.model(x).square().mean()
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss.item().hex())
            self.order += index.tolist()
            self.fetched_by["train"] |= set(pid.tolist())

    def evaluate_without_gradients(self):
        with torch.no_grad():
            for x, _, pid in self.held_out:
                self.model(x)
                self.fetched_by["eval"] |= set(pid.tolist())

    def evaluate_in_eval_mode(self):
        """As transformers does: the iterator is built while gradients are on."""
        self.model.eval()
        for x, _, pid in self.held_out:
            with torch.no_grad():
                self.model(x)
            self.fetched_by["eval"] |= set(pid.tolist())


    def evaluate_with_gradients(self):
        for x, _, pid in self.held_out:
            self.model(x)
            self.fetched_by["eval"] |= set(pid.tolist())

    def evaluate_on_the_training_data(self):
        with torch.no_grad():
            for x, _, pid in self.loader:
                self.model(x)
                self.fetched_by["train"] |= set(pid.tolist())


def main(choices):
    if "threads" in choices:
        torch.set_num_threads(choices["threads"])
    if "start_method" in choices:
        torch.multiprocessing.set_start_method(choices["start_method"])
    training = Training(choices)
    if choices.get("evaluate_first"):
        training.evaluate_in_eval_mode()
    for number in range(choices.get("epochs", 2)):
        if number == choices.get("resized_at"):
            training.loader.num_workers = 1
        training.epoch()
        if "evaluate" in choices:
            getattr(training, "evaluate_" + choices["evaluate"])()
    print(json.dumps({
        "losses": training.losses,
        "order": training.order,
        "random": torch.rand(()).item().hex(),
        "processes": {name: len(pids - {os.getpid()}) for name, pids in training.fetched_by.items()},
        "loader": arguments_of(training.loader),
        "held_out": arguments_of(training.held_out),
        "precision": torch.get_float32_matmul_precision(),
        "benchmark": torch.backends.cudnn.benchmark,
        "threads": torch.get_num_threads(),
        "modules": [name for name in sys.modules if "flatout" in name],
    }))  # fmt: skip


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
