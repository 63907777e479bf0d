"""Short epochs, and each one starts its worker anew: a spawned interpreter
that imports everything again and takes over a large dataset."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os

import torch
from truth import Truth
from work import steps, train_epoch, training

BATCH = 8
EPOCHS = 4


class Large(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.batches = batches
        self.index = [str(i) for i in range(200_000)]  # pickled to every new worker

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        return torch.full((16,), float(self.index[index]) / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.008, 0.012)
    loader = torch.utils.data.DataLoader(
        Large(steps(80) // EPOCHS),
        batch_size=BATCH,
        num_workers=1,
        multiprocessing_context="spawn",
        persistent_workers="ZOO_PERSISTENT" in os.environ,
    )
    for _ in range(EPOCHS):
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
