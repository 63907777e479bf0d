"""Models of the cases: classes of the program's own, with one below, so that no frame of torch.nn's is the first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.drop, self.out = Inner(), nn.Dropout(0.1), nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.drop(self.inner(x)))


class Breaks(Net):
    """A graph break in its middle, as a print makes one."""

    def forward(self, x):
        x = self.inner(x)
        torch._dynamo.graph_break()
        return self.out(x)


class Pictures(nn.Module):
    """Pictures in colour, for which other facts are looked at."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Linear(4, 2)

    def forward(self, x):
        return self.out(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


def made(kind=Net):
    torch.manual_seed(7)
    return kind()


def batch(kind=Net, rows=4):
    generator = torch.Generator().manual_seed(11)
    return torch.randn((rows, 3, 8, 8) if kind is Pictures else (rows, 8), generator=generator)


def loader(kind=Net, rows=10, **options):
    """Batches of 4, 4 and 2: the last one has another shape."""
    x, y = batch(kind, rows), torch.arange(rows) % 2
    return DataLoader(TensorDataset(x, y), batch_size=4, **options)


def loss_of(given, y):
    return nn.functional.cross_entropy(given.float(), y)


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def train(call, model, optimizer=None, epochs=2, every=1, batches=None, step=None):
    """Losses of all batches, and the weights at the end."""
    optimizer = optimizer or sgd(model)
    losses, count = [], 0
    for _ in range(epochs):
        for x, y in batches or loader():
            if count % every == 0:
                optimizer.zero_grad()
            loss = loss_of(call(x), y)
            loss.backward()
            count += 1
            if count % every == 0:
                (step or optimizer.step)()
            losses.append(loss.detach())
    return losses, [parameter.detach() for parameter in model.parameters()]
