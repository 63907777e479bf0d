"""Texts of different length, padded to the longest in pure Python. One worker."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import random

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 16
LONGEST = 20_000  # tokens


class Texts(torch.utils.data.Dataset):
    def __init__(self):
        rng = random.Random(1)
        self.tokens = list(range(LONGEST))
        self.lengths = [rng.randrange(LONGEST // 4, LONGEST) for _ in range(BATCH * steps(100))]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return self.tokens[: self.lengths[index]]


def pad(samples):
    longest = max(len(sample) for sample in samples)
    rows = [sample + [0] * (longest - len(sample)) for sample in samples]
    ids = torch.tensor(rows)
    mask = torch.tensor([[token != 0 for token in row] for row in rows])
    return ids[:, :16].float() / 1000, mask[:, :1].float()


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.005)
    loader = torch.utils.data.DataLoader(
        Texts(), batch_size=BATCH, num_workers=workers(1), collate_fn=pad
    )
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
