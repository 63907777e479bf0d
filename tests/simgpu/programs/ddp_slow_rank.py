"""Data-parallel training in which one rank reads its data slowly: torchrun --nproc-per-node 2 ddp_slow_rank.py"""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Samples(Dataset):
    def __init__(self, length, seconds):
        self.length = length
        self.seconds = seconds

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((1024,), index % 7, dtype=torch.float32), index % 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--slow-rank", type=int, default=1)
    parser.add_argument("--slow-ms", type=float, default=3, help="of each sample on the slow rank")
    given = parser.parse_args()
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)

    dataset = Samples(given.steps * given.batch * world_size, given.slow_ms / 1e3 if rank == given.slow_rank else 0)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=given.batch, sampler=sampler, pin_memory=True)
    layers = [torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)]
    model = DistributedDataParallel(torch.nn.Sequential(*layers).to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters())
    loss_of = torch.nn.CrossEntropyLoss()
    for features, labels in loader:
        loss = loss_of(model(features.to(device, non_blocking=True)), labels.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    if rank == 0:
        print("trained %d steps on %d ranks" % (given.steps, world_size))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
