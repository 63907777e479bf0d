"""Samples cost CPU and are prepared inside the training process."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import burn, steps, train_epoch, training, workers

BATCH = 8


class Burning(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(130)

    def __getitem__(self, index):
        burn(0.005)
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.0035, 0.0065)
    loader = torch.utils.data.DataLoader(
        Burning(), batch_size=BATCH, shuffle=True, num_workers=workers(0)
    )
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
