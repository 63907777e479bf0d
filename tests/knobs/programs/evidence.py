"""Small trainings, one after the other, for the evidence of a trial; argv[1] = JSON of
a seed, parts (see train) and arguments for all their loaders. Prints, as one line of
JSON, what each backward was called on and the first draws under the seed."""

import json
import random
import sys

import numpy as np
import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset

CHOICES = json.loads(sys.argv[1])
LENGTH, BATCH = 160, 4
SHARED = np.random.default_rng(3)  # in the module, not in the dataset


class Plain(Dataset):
    transform = None

    def __init__(self, length=LENGTH):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        x = torch.tensor([index / LENGTH, 1.0])
        return x if self.transform is None else self.transform(x)


class Pipeline:
    """As torchvision's Compose."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x


class Jitter:
    def __init__(self, draw, generator=None):
        self.draw, self.generator = draw, generator

    def __call__(self, x):
        return x + (self.draw() if self.generator is None else self.draw(self.generator))


class FromTheModule(Plain):
    def __getitem__(self, index):
        return super().__getitem__(index) + SHARED.random(dtype=np.float32)


class Inner(Plain):
    """A fetch inside a fetch."""

    def __getitem__(self, index):
        (inner,) = DataLoader([index], generator=torch.Generator())
        return super().__getitem__(int(inner)) + torch.rand(())


class Lazy(Plain):
    generator = None

    def __getitem__(self, index):
        if self.generator is None:
            self.generator = random.Random(3)
        return super().__getitem__(index) + self.generator.random()


class Stream(IterableDataset):
    def __iter__(self):
        return (torch.tensor([index / LENGTH, 1.0]) for index in range(LENGTH))


def jittered(*transforms, inside=False):
    dataset = Plain()
    dataset.transform = Pipeline(list(transforms))
    return Subset(dataset, range(LENGTH)) if inside else dataset


def closed_over(generator):
    dataset = Plain()
    dataset.transform = lambda x: x + torch.rand((), generator=generator)
    return dataset


DATASETS = {
    "Plain": Plain,
    "Stream": Stream,
    "Idle": lambda: jittered(Jitter(lambda _: 0.5, np.random.default_rng(3))),  # holds one, and never draws
    "torch": lambda: jittered(Jitter(lambda: torch.rand(()))),
    "random": lambda: jittered(Jitter(random.random)),
    "numpy": lambda: jittered(Jitter(lambda: float(np.random.rand()))),
    "own torch": lambda: jittered(Jitter(lambda own: torch.rand((), generator=own), torch.Generator().manual_seed(3))),
    "own random": lambda: jittered(Jitter(lambda own: own.random(), random.Random(3))),
    "own numpy": lambda: jittered(Jitter(lambda own: float(own.random()), np.random.default_rng(3))),
    "own RandomState": lambda: jittered(Jitter(lambda own: own.rand(), np.random.RandomState(3)), inside=True),
    "closure": lambda: closed_over(torch.Generator().manual_seed(3)),
    "module": FromTheModule,
    "lazy": Lazy,
    "inner": Inner,
}


class Loud(torch.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        Loud.seen.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, args, kwargs or {})


SCALER = torch.amp.GradScaler("cpu", init_scale=2.0)


def scaled_before_each_other(loss):
    first, second = SCALER.scale(loss), SCALER.scale(loss * 2)
    first.backward(retain_graph=True)
    second.backward()
    return [loss, loss * 2]


def backward(loss, kind):
    """One or more backwards of a kind; gives what each of them was called on, None = no loss."""
    if kind == "vector":
        loss.expand(2).backward(torch.ones(2))
        return [None]
    if kind == "several":
        torch.autograd.backward([loss, loss * 2])
        return [None]
    if kind == "made from a scaled one":
        (SCALER.scale(loss) / 2).backward()
        return [None]
    if kind == "scaled before each other":
        return scaled_before_each_other(loss)
    if kind == "gradients":
        torch.autograd.grad(loss, list(MODEL.parameters()), retain_graph=True)
    if kind == "nested":
        loss = torch.utils.checkpoint.checkpoint(lambda y: y * 2, loss, use_reentrant=True)
    loss = {"nan": loss * float("nan"), "infinite": loss * float("inf"), "half": loss.to(torch.bfloat16)}.get(kind, loss)
    if kind == "scaled":
        SCALER.scale(loss).backward()
    elif kind == "subclass":
        loss.as_subclass(Loud).backward()
    elif kind == "by function":
        torch.autograd.backward(loss)
    else:
        loss.backward()
    return [loss]


MODEL = torch.nn.Linear(2, 1)


def train(part, shared, held_out):
    MODEL.reset_parameters()
    if part.get("held_out"):
        with torch.no_grad():
            for x in held_out:
                MODEL(x)
    dataset = DATASETS[part.get("dataset", "Plain")](*part.get("arguments", []))
    loader = DataLoader(dataset, batch_size=BATCH, **{**shared, **part.get("loader", {})})
    if part.get("peek"):
        next(iter(loader))
    optimizer = torch.optim.SGD(MODEL.parameters(), lr=0.01)
    called_on = []
    for _ in range(part.get("epochs", 1)):
        for number, x in enumerate(loader):
            if number == part.get("batches"):
                break
            loss = MODEL(x).square().mean()
            called_on += backward(loss, part.get("loss"))
            optimizer.step()
            optimizer.zero_grad()
    return [None if loss is None else loss.detach().as_subclass(torch.Tensor).item().hex() for loss in called_on]


def main():
    held_out = DataLoader(Plain(), batch_size=BATCH)
    losses, first = [], []
    for part in CHOICES["parts"]:
        torch.manual_seed(CHOICES["seed"])
        random.seed(CHOICES["seed"])
        np.random.seed(CHOICES["seed"])
        first.append([torch.rand(()).item(), random.random(), np.random.rand(), torch.initial_seed()])
        losses.append(train(part, CHOICES.get("loader", {}), held_out))
    print(json.dumps({"losses": losses, "first": first, "loud": Loud.seen}))


if __name__ == "__main__":
    main()
