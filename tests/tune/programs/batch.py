"""A small training in small batches: each step costs the same on top of its samples, as
where a framework launches kernels or logs. What is learnt is mostly noise, so that the
size of a batch hardly matters to the loss."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

arguments = argparse.ArgumentParser()
arguments.add_argument("--batch", type=int, default=16)
arguments.add_argument("--step-ms", type=float, default=1.5)
arguments.add_argument("--sample-ms", type=float, default=0.25)
arguments.add_argument("--sample-mb", type=float, default=0, help="that a step holds for each sample")
arguments.add_argument("--samples", type=int, default=1000)
arguments.add_argument("--sum", action="store_true", help="a loss that grows with the batch")
options = arguments.parse_args()


def spin(ms):
    end = time.perf_counter() + ms / 1000
    while time.perf_counter() < end:
        pass


class Noise(Dataset):
    def __init__(self):
        self.x = torch.randn(options.samples, 8)
        self.y = torch.randn(options.samples, 1)

    def __len__(self):
        return options.samples

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class Model(nn.Linear):
    def forward(self, x):
        spin(options.step_ms + options.sample_ms * len(x))
        self.held = torch.ones(int(len(x) * options.sample_mb * 250_000))
        return super().forward(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Noise(), batch_size=options.batch, shuffle=True)
    model = Model(8, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    while True:
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y, reduction="sum" if options.sum else "mean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
