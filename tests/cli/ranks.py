"""Two ranks on gloo: argv[1] updates, an all_reduce that rank 0 waits for after each."""

import os
import sys
import time

import torch
import torch.distributed

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(int(sys.argv[1])):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.02 * rank)
    torch.distributed.all_reduce(torch.ones(1))
torch.distributed.destroy_process_group()
# Threads of gloo live on. One that lets go of a tensor while the interpreter ends would abort it (pytorch/pytorch issue 190489).
sys.stdout.flush()
os._exit(0)
