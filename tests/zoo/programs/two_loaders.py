"""Each step draws from two loaders, and one of them is slow."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8


class Waiting(torch.utils.data.Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return BATCH * steps(150)

    def __getitem__(self, index):
        time.sleep(self.seconds / BATCH)
        return torch.full((16,), index / 1000), torch.ones(1)


def joined(labelled, unlabelled):
    for (x, y), (u, v) in zip(labelled, unlabelled):
        yield torch.cat([x, u]), torch.cat([y, v])


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.004, 0.008)
    labelled = torch.utils.data.DataLoader(Waiting(0.001), batch_size=BATCH)
    unlabelled = torch.utils.data.DataLoader(  # the slow one
        Waiting(0.032), batch_size=BATCH, num_workers=workers(0)
    )
    batches = joined(truth.draws(labelled), truth.draws(unlabelled))
    train_epoch(truth, batches, model, loss_of, optimizer)
    truth.finish()
