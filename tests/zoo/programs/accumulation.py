"""Healthy: four micro-batches to an update."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import steps, training, workers

BATCH = 8
MICRO = 4


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * MICRO * steps(110)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.007)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    for micro, (x, y) in enumerate(truth.draws(loader)):
        with truth.phase("forward"):
            loss = loss_of(model(x), y) / MICRO
        with truth.phase("backward"):
            loss.backward()
        if micro % MICRO == MICRO - 1:
            with truth.phase("optimizer"):
                optimizer.step()
            optimizer.zero_grad()
    truth.finish()
