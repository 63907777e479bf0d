"""Data-parallel training on two devices; rank 1 waits for its data, and rank 0 for rank 1.

Run without torchrun's environment it starts itself under torchrun, as many training scripts do.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
import torch.distributed as dist
from marks import Marks
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from work import Waiting, network, steps, train_epoch, workers

BATCH = 64
SLOW_RANK = int(os.environ.get("ZOO_SLOW_RANK", 1))  # -1: none


def main():
    marks = Marks()
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    dataset = Waiting(steps(160) * 2, BATCH, 0.015 if rank == SLOW_RANK else 0.0)
    loader = DataLoader(dataset, BATCH, sampler=DistributedSampler(dataset), num_workers=workers(0), pin_memory=True)
    model, loss_of = DistributedDataParallel(network().cuda(), device_ids=[rank]), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    train_epoch(marks, marks.draws(loader), model, loss_of, optimizer, non_blocking=True)
    with marks.span("wait"):
        torch.cuda.synchronize()
    marks.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    if "RANK" not in os.environ:
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        os.execv(sys.executable, [*torchrun, os.path.abspath(__file__)])
    main()
