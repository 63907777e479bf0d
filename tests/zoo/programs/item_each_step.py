"""Healthy on a CPU: .item() each step costs nothing there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import steps, training, workers

BATCH = 16


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(200)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.010, 0.020)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    running = 0.0
    for x, y in truth.draws(loader):
        optimizer.zero_grad()
        with truth.phase("forward"):
            loss = loss_of(model(x), y)
        with truth.phase("backward"):
            loss.backward()
        with truth.phase("optimizer"):
            optimizer.step()
        running += loss.item()
    truth.finish()
