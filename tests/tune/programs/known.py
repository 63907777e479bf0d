"""A training whose gains are known by construction. LEVEL, a variable of the environment, divides its work; UNREAD is not read."""

import argparse
import os
import time

import torch
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--epoch", type=int, default=20, help="steps of an epoch")
parser.add_argument("--epochs", type=int, default=100_000)
parser.add_argument("--rounds", type=int, default=200, help="products of two matrices in a step, divided by LEVEL")
parser.add_argument("--wait-ms", type=float, default=0, help="of a sample, as if it came from a store; 4 samples a batch")
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--persistent", action="store_true")
parser.add_argument("--spawn", action="store_true", help="workers that start as new interpreters")
options = parser.parse_args()


class Rows(Dataset):
    def __len__(self):
        return 4 * options.epoch

    def __getitem__(self, i):
        time.sleep(options.wait_ms / 1000)
        return torch.full((64,), i / (4 * options.epoch)), i % 4


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rounds = int(options.rounds / float(os.environ.get("LEVEL", "1")))
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=options.workers, persistent_workers=options.persistent,
                        multiprocessing_context="spawn" if options.spawn else None)
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    matrix = torch.randn(96, 96)
    began = samples = 0
    for epoch in range(options.epochs):
        if epoch == 1:
            began = time.perf_counter()
        for x, y in loader:
            for _ in range(rounds):
                matrix @ matrix
            loss = torch.nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            samples += len(x) if epoch else 0
    if samples:
        print("by the clock %.3f" % (samples / (time.perf_counter() - began)), flush=True)


if __name__ == "__main__":
    main()
