"""Models and data of known cost for the programs of the CUDA zoo.

How long a kernel takes is the device's; the programs choose shapes, and expected.toml chooses the simulated
device. `time.sleep` stands for waiting on something far away, `burn` for Python that needs a core.
"""

import os
import sys
import time

import torch
from torch import nn


def steps(count):
    """A program's length; $ZOO_SCALE shortens every program alike."""
    return max(40, round(count * float(os.environ.get("ZOO_SCALE", "1"))))


def workers(count):
    """The program's num_workers, as a user would change it on the command line."""
    return int(os.environ.get("ZOO_WORKERS", count))


def burn(seconds):
    end = time.thread_time() + seconds
    value = 0
    while time.thread_time() < end:
        for i in range(50):
            value += i * i
    return value


class Waiting(torch.utils.data.Dataset):
    """`batches` of `batch` samples, for each of which a batch's `seconds` are waited in part."""

    def __init__(self, batches, batch, seconds=0.0, features=1024):
        self.batches, self.batch, self.seconds = batches, batch, seconds
        self.sample = torch.full((features,), 0.5)

    def __len__(self):
        return self.batches * self.batch

    def __getitem__(self, index):
        if self.seconds:
            time.sleep(self.seconds / self.batch)
        return self.sample, index % 10


def network(width=1024, layers=4, features=1024):
    sizes = [features] + [width] * layers
    parts = [part for a, b in zip(sizes, sizes[1:]) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*parts, nn.Linear(width, 10))


class Pooled(nn.Module):
    """A network over the mean of `parts` parts of each sample: much to copy, little to compute."""

    def __init__(self, parts, width=1024, layers=4):
        super().__init__()
        self.parts, self.width = parts, width
        self.layers = network(width, layers, width)

    def forward(self, x):
        return self.layers(x.view(len(x), self.parts, self.width).mean(1))


def to_device(marks, batch, non_blocking=False):
    moved = []
    for part in batch:
        with marks.span("copy_async" if non_blocking else "copy"):
            moved.append(part.cuda(non_blocking=non_blocking))
    return moved


def train(marks, batches, model, loss_of, optimizer, log_every=10):
    """The loop that most scripts have, with a look at the loss now and then. `batches` yields (x, y) on the device."""
    for step, (x, y) in enumerate(batches, 1):
        optimizer.zero_grad()
        with marks.span("forward"):
            computed = loss_of(model(x), y)
        loss = computed  # the graph of the step before goes here, outside of forward
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
        if step % log_every == 0:
            with marks.span("wait"):
                loss.item()


def train_epoch(marks, batches, model, loss_of, optimizer, non_blocking=False):
    """The same for batches on the host; pinned where the copies do not block."""
    train(marks, (to_device(marks, batch, non_blocking) for batch in batches), model, loss_of, optimizer)


def on_device(count, batch=64, features=1024):
    """`count` times the same batch, which lies on the device."""
    x, y = torch.ones(batch, features, device="cuda"), torch.zeros(batch, dtype=torch.long, device="cuda")
    return ((x, y) for _ in range(count))


def finish(marks):
    """Waits for the device, as a program does that prints its last loss."""
    with marks.span("wait"):
        torch.cuda.synchronize()
    marks.finish()
    sys.stdout.flush()
    # A thread of autograd that still lets go of Python objects while the interpreter ends is ended by Python 3.11
    # through PyTorch's noexcept functions, and the process aborts, with a real device, too.
    os._exit(0)
