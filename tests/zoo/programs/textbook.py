"""50 ms to prepare a batch by waiting, 10 ms to compute it, no workers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 5


class Waiting(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        time.sleep(0.050 / BATCH)
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.0035, 0.0065)
    loader = torch.utils.data.DataLoader(Waiting(), batch_size=BATCH, num_workers=workers(0))
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
