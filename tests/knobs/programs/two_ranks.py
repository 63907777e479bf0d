"""One of two ranks on gloo; the rank --own brings autocast and an update of its own, as no plan may change."""

import argparse
import contextlib
import json
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

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


dist.init_process_group("gloo")
torch.manual_seed(0)
net = Net()
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False if own else None)
for _ in range(3):
    with torch.autocast("cpu", dtype=torch.bfloat16) if own else contextlib.nullcontext():
        loss = model(torch.ones(4, 3, 8, 8)).float().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
last = net.convolution.weight.is_contiguous(memory_format=torch.channels_last)
print(json.dumps({"rank": rank, "dtype": net.seen, "fused": bool(optimizer.param_groups[0]["fused"]), "channels_last": last}))
dist.destroy_process_group()
