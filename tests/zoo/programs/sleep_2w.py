"""Two workers that wait for something far away; still too few."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8


class Remote(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(160)

    def __getitem__(self, index):
        time.sleep(0.010)
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.006)
    loader = torch.utils.data.DataLoader(Remote(), batch_size=BATCH, num_workers=workers(2))
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
