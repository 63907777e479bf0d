"""A healthy loop that evaluates after each epoch with its own loader, for a third of the run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
EPOCHS = 5


class Waiting(torch.utils.data.Dataset):
    def __init__(self, batches, seconds):
        self.batches, self.seconds = batches, seconds

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        time.sleep(self.seconds / BATCH)
        return torch.full((16,), index / 1000), torch.ones(1)


def evaluate(model, loader, loss_of):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += float(loss_of(model(x), y))
    model.train()
    return total


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.010, 0.018)
    train = torch.utils.data.DataLoader(
        Waiting(steps(150) // EPOCHS, 0.001), batch_size=BATCH, num_workers=workers(0)
    )
    held_out = torch.utils.data.DataLoader(Waiting(12, 0.025), batch_size=BATCH)
    for _ in range(EPOCHS):
        train_epoch(truth, truth.draws(train), model, loss_of, optimizer)
        with truth.interval("eval"):
            evaluate(model, held_out, loss_of)
    truth.finish()
