"""One of two ranks on gloo; the rank --own brings autocast, an update and batches of its own, as no plan may change."""

import argparse
import contextlib
import json
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset

arguments = argparse.ArgumentParser()
arguments.add_argument("--own", type=int, default=-1)
options = arguments.parse_args()
rank = int(os.environ["RANK"])
own = rank == options.own


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 4, 3)
        self.linear = torch.nn.Linear(4, 1)
        self.seen = None

    def forward(self, x):
        out = self.linear(self.convolution(x).mean((2, 3)))
        self.seen = str(out.dtype)
        return out


class Pairs(BatchSampler):
    def __iter__(self):
        yield from ([0, 1], [2, 3], [4, 5])


dist.init_process_group("gloo")
torch.manual_seed(0)
net = Net()
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False if own else None)
images = TensorDataset(torch.ones(6, 3, 8, 8))
cut = {"batch_sampler": Pairs(SequentialSampler(images), 2, False)} if own else {"batch_size": 2}
batches = []
for (x,) in DataLoader(images, **cut):
    batches.append(len(x))
    with torch.autocast("cpu", dtype=torch.bfloat16) if own else contextlib.nullcontext():
        loss = model(x).float().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
last = net.convolution.weight.is_contiguous(memory_format=torch.channels_last)
fused = bool(optimizer.param_groups[0]["fused"])
print(json.dumps({"rank": rank, "dtype": net.seen, "fused": fused, "channels_last": last, "batches": batches}), flush=True)
dist.destroy_process_group()
# Threads of gloo live on. One that lets go of a tensor while the interpreter ends would abort it (pytorch/pytorch issue 190489).
os._exit(0)
