"""Knobs of batches in the process of the test, and off again; data to train on."""

import contextlib
import json

import torch
from scoped import Native
from torch.utils.data import DataLoader, Dataset

SAMPLES = 44


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
