"""batch.accumulate in plain loops, on real PyTorch: what the weights are after some epochs
against the program as it is, and when it is refused."""

import contextlib
import importlib
import json

import pytest
import torch
from scoped import Native
from torch.utils.data import DataLoader, Dataset, IterableDataset

ID = "batch.accumulate"
SAMPLES, BATCH = 44, 8  # the last batch has 4


class Numbers(Dataset):
    def __init__(self, length=SAMPLES):
        generator = torch.Generator().manual_seed(5)
        self.x = torch.randn(length, 6, generator=generator)
        self.y = torch.randn(length, 1, generator=generator)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class Plan:
    """The knob in this process, and off again."""

    def __init__(self, knobs, plan):
        self.native = Native()
        self.native.loader_fed_training = lambda _number: True
        self.knobs = knobs.Knobs(self.native, torch, json.dumps(plan))
        self.knobs.words.installed()
        self.knobs.words.opened()

    @property
    def word(self):
        return self.native.facts[-1]

    @contextlib.contextmanager
    def held(self):
        iterate, build, make = DataLoader.__iter__, torch.optim.Optimizer.__init__, DataLoader.__init__
        setting = self.knobs.settings[0]
        before = self.knobs.loaders.before_iterator
        built = self.knobs.optimizer_built

        def made(loader, *args, **kwargs):
            make(loader, *args, **kwargs)
            self.knobs.loader_built(loader)

        def iterated(loader):
            before(loader, None)
            return iterate(loader)

        def optimizer_made(optimizer, *args, **kwargs):
            build(optimizer, *args, **kwargs)
            built(optimizer)

        setting.install_last()
        DataLoader.__iter__, torch.optim.Optimizer.__init__, DataLoader.__init__ = iterated, optimizer_made, made
        try:
            yield setting
        finally:
            DataLoader.__iter__, torch.optim.Optimizer.__init__, DataLoader.__init__ = iterate, build, make
            setting.undo()


def weights(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.02)


def two(parameters):
    first, *others = parameters
    return [torch.optim.SGD([first], lr=0.1), torch.optim.AdamW(others, lr=0.02)]


def train(make=sgd, epochs=3, clip=None, zero="before", schedule=None, scaler=None, **loader_arguments):
    """A loop as people write it. Gives (weights, rates of each epoch's end, shapes)."""
    torch.manual_seed(1)
    arguments = {"batch_size": BATCH, "shuffle": True, **loader_arguments}
    loader = DataLoader(Numbers(), **arguments)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizers = make(model.parameters())
    optimizers = optimizers if isinstance(optimizers, list) else [optimizers]
    scheduler = None if schedule is None else schedule(optimizers[0], epochs * len(loader))
    scaler = torch.amp.GradScaler("cpu", enabled=scaler is not None, init_scale=scaler or 1.0)
    rates, shapes = [], []
    for _ in range(epochs):
        for x, y in loader:
            shapes.append(len(x))
            if zero == "before":
                for optimizer in optimizers:
                    optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            for optimizer in optimizers:
                if clip is not None:
                    scaler.unscale_(optimizer)
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            for optimizer in optimizers:
                scaler.step(optimizer)
            scaler.update()
            if scheduler is not None:
                scheduler.step()
            if zero == "model":
                model.zero_grad()
            elif zero == "behind":
                for optimizer in optimizers:
                    optimizer.zero_grad(set_to_none=False)
        rates.append(optimizers[0].param_groups[0]["lr"])
    return weights(model), rates, shapes


def one_cycle(optimizer, steps):
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=steps)


def chained(optimizer, steps):
    from torch.optim.lr_scheduler import ChainedScheduler, LinearLR, SequentialLR, StepLR

    parts = [LinearLR(optimizer, 0.1, total_iters=3), StepLR(optimizer, 4)]
    return ChainedScheduler([SequentialLR(optimizer, parts, milestones=[3]), StepLR(optimizer, 7)], optimizer)


@pytest.mark.parametrize(
    ("count", "choices"),
    [
        (2, {}),
        (4, {"make": adam, "zero": "behind"}),
        (8, {"make": two, "zero": "model", "drop_last": True}),
        (2, {"clip": 0.05, "schedule": one_cycle}),
        (4, {"clip": 0.5, "make": adam, "scaler": 1024.0, "schedule": chained}),
        (2, {"scaler": 1e38, "clip": 0.5}),  # the first updates overflow
        (2, {"num_workers": 2, "persistent_workers": True}),
    ],
    ids=["sgd", "adam", "two", "clipped", "scaled", "overflow", "workers"],
)
def test_parts_train_what_whole_batches_train(knobs, count, choices):
    expected, expected_rates, whole = train(**choices)
    plan = Plan(knobs, {ID: count})
    with plan.held():
        found, rates, shapes = train(**choices)
        word = plan.word
    assert word["applied"], word.get("reason")
    assert word["effect"] == "a batch of 8 in %d parts of %d" % (count, 8 // count)
    size, rest = BATCH // count, 0 if choices.get("drop_last") else SAMPLES % BATCH
    assert shapes == ([size] * (SAMPLES // BATCH * count) + [size] * (rest // size)) * 3
    assert sum(shapes) == sum(whole)
    assert torch.allclose(found, expected, rtol=1e-5, atol=1e-6), (found - expected).abs().max()
    assert rates == pytest.approx(expected_rates)
    assert torch.equal(train(**choices)[0], expected), "undone"
