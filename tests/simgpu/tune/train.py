"""A small training on a CUDA device, whose costs are chosen on the command line. It knows nothing of flatout."""

import argparse

import torch
from torch import nn


class Samples(torch.utils.data.Dataset):
    def __init__(self, count, features):
        self.count, self.sample = count, torch.full((features,), 0.5)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.sample, index % 10


class Small(nn.Module):
    """Many small operations, one after the other: the host launches longer than the device computes."""

    def __init__(self, parts):
        super().__init__()
        self.parts = parts
        self.first, self.last = nn.Linear(64, 64), nn.Linear(64, 10)

    def forward(self, x):
        x = self.first(x[:, :64])
        for _ in range(self.parts):
            x = torch.tanh(x * 1.01 + 0.5)
        return self.last(x)


class Wide(nn.Module):
    """Matrix products over the mean of each sample's parts: much to copy where a sample is long."""

    def __init__(self, width, layers):
        super().__init__()
        self.width = width
        parts = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.ReLU())]
        self.layers = nn.Sequential(*parts, nn.Linear(width, 10))

    def forward(self, x):
        return self.layers(x.view(len(x), -1, self.width).mean(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--features", type=int, default=1024, help="of a sample")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--small", type=int, default=0, help="small operations instead of wide layers")
    parser.add_argument("--pinned", action="store_true")
    parser.add_argument("--tf32", action="store_true")
    given = parser.parse_args()
    if given.tf32:
        torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    model = Small(given.small) if given.small else Wide(given.width, given.layers)
    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loss_of = nn.CrossEntropyLoss()
    samples = Samples(given.steps * given.batch, given.features)
    loader = torch.utils.data.DataLoader(samples, batch_size=given.batch, pin_memory=given.pinned)
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    print("loss %.3f" % loss.item())


if __name__ == "__main__":
    main()
