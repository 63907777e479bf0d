"""An uncaught exception at the place that its argument names, in the third step."""

import sys

import eager  # noqa: F401
import torch
from tiny import Rows, set_up
from torch import nn

place = sys.argv[1]
workers = int(sys.argv[2]) if len(sys.argv) > 2 else 0


class Failing(Rows):
    def __getitem__(self, index):
        if place == "getitem" and index == 13:
            raise KeyError(f"no sample {index}")
        return super().__getitem__(index)


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        for index in range(48):
            if index == 13:
                raise OSError("the stream broke")
            yield torch.full((4,), float(index)), torch.ones(1)


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, fails):
        ctx.fails = fails
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.fails:
            raise ArithmeticError("in backward")
        return grad, None


class Outer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.calls = inner, 0

    def forward(self, x):
        self.calls += 1
        third = self.calls == 3
        if third and place == "forward":
            raise RuntimeError("in forward")
        return Fails.apply(self.inner(x), third and place == "backward")


class Stepping(torch.optim.SGD):
    calls = 0

    def step(self, closure=None):
        self.calls += 1
        if self.calls == 3 and place == "optimizer":
            raise FloatingPointError("in step")
        return super().step(closure)


def collate(samples):
    if place == "collate" and samples[0][0][0] == 8:
        raise TypeError("in collate")
    return torch.utils.data.default_collate(samples)


def main():
    inner, loss_of, _ = set_up()
    model = Outer(inner)
    optimizer = Stepping(model.parameters(), lr=1e-3)
    dataset = Stream() if place == "iterable" else Failing()
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=4, num_workers=workers, collate_fn=collate
    )
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = loss_of(model(x[:, :3] if place == "shape" and step == 2 else x), y)
        loss.backward()
        optimizer.step()
        if place == "save" and step == 2:
            torch.save(model, "/proc/no-such-folder/model.pt")
        print("step", step, flush=True)


if __name__ == "__main__":
    main()
