"""Two ranks or more on gloo that train one model together; started by torchrun."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

arguments = argparse.ArgumentParser()
arguments.add_argument("--wait-ms", type=float, default=5, help="of a sample, asleep")
arguments.add_argument("--late-ms", type=float, default=0, help="of a step, of every rank but 0")
arguments.add_argument("--handle", type=int, default=-1, help="the rank whose dataset holds an open file")
arguments.add_argument("--steps", type=int, default=1000)
options = arguments.parse_args()
rank = int(os.environ["RANK"])
open("started.%d.%s" % (rank, os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")), "w").close()


class Samples(Dataset):
    def __init__(self):
        self.file = open(__file__) if rank == options.handle else None

    def __len__(self):
        return 8 * options.steps

    def __getitem__(self, index):
        time.sleep(options.wait_ms / 1000)
        x = torch.full((8,), index / len(self))
        return x, x[:1]


dist.init_process_group("gloo")
torch.manual_seed(0)
dataset = Samples()
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset, shuffle=False))
try:
    for x, target in loader:
        loss = torch.nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank:
            time.sleep(options.late_ms / 1000)
finally:
    open("finally.%d" % rank, "w").close()
    print("rank %d had %d workers" % (rank, loader.num_workers), flush=True)
dist.destroy_process_group()
# Threads of gloo live on. One that lets go of a tensor while the interpreter ends would abort it (pytorch/pytorch issue 190489).
os._exit(0)
