"""Work of known length, for programs whose bottleneck is known by construction.

`burn(s)` uses a core for s seconds of CPU time, so it stretches when the core
is shared, as real work does; `time.sleep` stands for waiting on something far
away. `Model` is an ordinary module with real weights whose forward and
backward also burn a known time.
"""

import os
import time

import torch
from torch import nn


def burn(seconds):
    end = time.thread_time() + seconds
    value = 0
    while time.thread_time() < end:
        for i in range(50):
            value += i * i
    return value


def steps(count):
    """A program's length; $ZOO_SCALE shortens every program alike."""
    return max(24, round(count * float(os.environ.get("ZOO_SCALE", "1"))))


def workers(count):
    """The program's num_workers, as a user would change it on the command line."""
    return int(os.environ.get("ZOO_WORKERS", count))


class Burn(torch.autograd.Function):
    """Identity whose forward and backward burn a core."""

    @staticmethod
    def forward(ctx, x, forward_s, backward_s):
        ctx.backward_s = backward_s
        burn(forward_s)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        burn(ctx.backward_s)
        return grad.clone(), None, None


class Model(nn.Module):
    def __init__(self, forward_s=0.003, backward_s=0.006, features=16, hidden=256):
        super().__init__()
        self.forward_s, self.backward_s = forward_s, backward_s
        self.layers = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return Burn.apply(self.layers(x), self.forward_s, self.backward_s)


class TimedSGD(torch.optim.SGD):
    """Times its own update, also where a framework gives it a closure to call."""

    def __init__(self, truth, parameters, **arguments):
        super().__init__(parameters, **arguments)
        self.truth = truth

    def step(self, closure=None):
        loss = None if closure is None else closure()
        start = time.perf_counter()
        super().step()
        self.truth.add("optimizer", time.perf_counter() - start)
        return loss


def training(forward_s=0.003, backward_s=0.006, features=16):
    """Model, loss and optimizer; one thread, so that a burned second is a second."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Model(forward_s, backward_s, features)
    return model, nn.MSELoss(), torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)


def train_epoch(truth, batches, model, loss_of, optimizer):
    """The loop that most scripts have. `batches` yields (x, y)."""
    for x, y in batches:
        optimizer.zero_grad()
        with truth.phase("forward"):
            loss = loss_of(model(x), y)
        with truth.phase("backward"):
            loss.backward()
        with truth.phase("optimizer"):
            optimizer.step()
