"""One of two ranks on gloo, each with its half of the data; prints what it learnt."""

import json
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(1)
data = TensorDataset(torch.randn(40, 6), torch.randn(40, 1))
sampler = DistributedSampler(data, shuffle=True)
loader = DataLoader(data, batch_size=8, sampler=sampler)
net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
shapes = []
for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in loader:
        shapes.append(len(x))
        torch.nn.functional.mse_loss(model(x), y).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
weights = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
print(json.dumps({"weights": weights.tolist(), "shapes": shapes}), flush=True)
dist.destroy_process_group()
# Threads of gloo live on. One that lets go of a tensor while the interpreter ends would abort it (pytorch/pytorch issue 190489).
os._exit(0)
