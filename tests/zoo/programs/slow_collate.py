"""Samples are cheap; putting them together costs CPU. One worker."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import burn, steps, train_epoch, training, workers

BATCH = 16


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(150)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


def pad_and_sort(samples):
    burn(0.045)
    return torch.utils.data.default_collate(samples)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.005)
    loader = torch.utils.data.DataLoader(
        Cheap(), batch_size=BATCH, num_workers=workers(1), collate_fn=pad_and_sort
    )
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
