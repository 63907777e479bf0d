"""Short epochs, and each one starts its workers anew: every worker opens its
part of the dataset before its first batch."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
EPOCHS = 5


class Cheap(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


def open_shard(worker_id):
    time.sleep(0.3)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.008, 0.012)
    loader = torch.utils.data.DataLoader(
        Cheap(steps(150) // EPOCHS),
        batch_size=BATCH,
        num_workers=workers(2),
        worker_init_fn=open_shard,
        persistent_workers="ZOO_PERSISTENT" in os.environ,
    )
    for _ in range(EPOCHS):
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
