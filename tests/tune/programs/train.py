"""A small training program whose samples wait, burn or are ready, as asked."""

import argparse
import os
import random
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

arguments = argparse.ArgumentParser()
arguments.add_argument("--wait-ms", type=float, default=0, help="of a sample, asleep")
arguments.add_argument("--compute-ms", type=float, default=5, help="of a step")
arguments.add_argument("--workers", type=int, default=0)
arguments.add_argument("--draws", action="store_true", help="augment with random numbers")
arguments.add_argument("--harm", action="store_true", help="samples of workers are wrong")
arguments.add_argument("--hang", action="store_true", help="in workers")
arguments.add_argument("--hang-above", type=int, default=99, help="more workers than these hang")
arguments.add_argument("--iterable", action="store_true", help="without sharding by worker")
arguments.add_argument("--write", action="store_true", help="files into the working directory")
arguments.add_argument("--fail", action="store_true")
arguments.add_argument("--samples", type=int, default=4000)
options = arguments.parse_args()

SAMPLES = options.samples


def sample(index):
    if options.wait_ms:
        time.sleep(options.wait_ms / 1000)
    x = torch.full((8,), index / SAMPLES)
    if options.draws:
        x = x + 0.01 * random.random() + 0.01 * torch.rand(8)
    return x, torch.full((1,), index / SAMPLES)


class Samples(Dataset):
    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        worker = torch.utils.data.get_worker_info()
        in_worker = worker is not None
        if in_worker and (options.hang or worker.num_workers > options.hang_above):
            time.sleep(3600)
        x, target = sample(index)
        return x, target + 5 if options.harm and in_worker else target


class Stream(IterableDataset):
    def __iter__(self):
        for index in range(SAMPLES):
            yield sample(index)


def spin(ms):
    end = time.perf_counter() + ms / 1000
    while time.perf_counter() < end:
        pass


class Slow(nn.Linear):
    def forward(self, x):
        spin(options.compute_ms)
        return super().forward(x)


random.seed(0)
torch.manual_seed(0)
model = Slow(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
dataset = Stream() if options.iterable else Samples()
loader = DataLoader(dataset, batch_size=4, num_workers=options.workers, shuffle=not options.iterable)
if options.fail:
    raise SystemExit("there is no data")
if options.write:
    os.makedirs("out", exist_ok=True)
    with open("train.log", "a") as log:
        log.write("started\n")
try:
    for x, target in loader:
        loss = nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if options.write:
            torch.save(model.state_dict(), "out/model.pt")
finally:
    if options.write:
        print("finally", file=open("out/finally", "w"))
