"""A training that one setting makes faster for sure, and that --harm makes worse as soon as the setting is in force.

    harmed.py --faster-with bf16|fused|channels_last|workers [--harm overflow|frozen|shuffled|dropped|half] [--seed 0] [--wide 32]

A step without the setting sleeps, so that the gain is known and only the losses are in question. Overflow and frozen
go with what the main process sees (bf16, fused, channels_last), the others with workers.
"""

import argparse
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, Sampler, get_worker_info

SLEEP_S = 0.004
SAMPLES = 64000

parser = argparse.ArgumentParser()
parser.add_argument("--faster-with", choices=["bf16", "fused", "channels_last", "workers"], required=True)
parser.add_argument("--harm", choices=["overflow", "frozen", "shuffled", "dropped", "half"])
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--wide", type=int, default=32)
choices = parser.parse_args()
torch.manual_seed(choices.seed)
torch.set_num_threads(1)
weights = torch.randn(3 * 8 * 8, 10, generator=torch.Generator().manual_seed(1))


class Pictures(Dataset):
    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        if choices.faster_with == "workers" and get_worker_info() is None:
            time.sleep(SLEEP_S / 16)
        values = torch.randn(3, 8, 8, generator=torch.Generator().manual_seed(index))
        noise = 0.1 * torch.randn(3, 8, 8)  # random numbers that a worker has, and the main process as well
        label = int((values.reshape(-1) @ weights).argmax())
        if choices.harm == "shuffled" and get_worker_info() is not None:
            label = (label + 1 + index) % 10
        return values + noise, label


def has_workers(frame):
    """In a sampler that a DataLoader's iterator calls: has that iterator workers?"""
    while frame is not None:
        owner = frame.f_locals.get("self")
        if type(owner).__name__ in ("_MultiProcessingDataLoaderIter", "_SingleProcessDataLoaderIter"):
            return type(owner).__name__ == "_MultiProcessingDataLoaderIter"
        frame = frame.f_back
    return False


class Shuffled(Sampler):
    def __len__(self):
        return SAMPLES

    def __iter__(self):
        order = torch.randperm(SAMPLES).tolist()
        if not has_workers(sys._getframe(1)):
            return iter(order)
        if choices.harm == "dropped":
            order = order[::2]
        if choices.harm == "half":
            order = [index // 2 for index in order]
        return iter(order)


model = torch.nn.Sequential(
    torch.nn.Conv2d(3, choices.wide, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(choices.wide, choices.wide, 3, padding=1),
    torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(choices.wide * 64, 10),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
in_force = {"seen": False}


def looks(_module, _inputs, output):
    """The settings of this step, as the first layer sees them."""
    in_force["seen"] = {
        "bf16": output.dtype is torch.bfloat16,
        "fused": bool(optimizer.param_groups[0].get("fused")),
        "channels_last": model[2].weight.is_contiguous(memory_format=torch.channels_last),
        "workers": False,
    }[choices.faster_with]
    return output.detach() if in_force["seen"] and choices.harm == "frozen" else output


model[0].register_forward_hook(looks)
for _epoch in range(1000):
    for pictures, labels in DataLoader(Pictures(), batch_size=16, sampler=Shuffled()):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(pictures).float(), labels)
        if choices.harm == "overflow" and in_force["seen"]:
            loss = (loss.half() * 60000).float()
        loss.backward()
        optimizer.step()
        if choices.faster_with != "workers" and not in_force["seen"]:
            time.sleep(SLEEP_S)
