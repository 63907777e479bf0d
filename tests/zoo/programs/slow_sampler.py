"""Short epochs, and the sampler sorts the whole dataset anew before each one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import burn, steps, train_epoch, training, workers

BATCH = 8
EPOCHS = 4


class Cheap(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


class ByLength(torch.utils.data.Sampler):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __iter__(self):
        burn(0.25)
        return iter(range(self.count))


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.008, 0.012)
    dataset = Cheap(steps(120) // EPOCHS)
    loader = torch.utils.data.DataLoader(
        dataset,
        batch_size=BATCH,
        sampler=ByLength(len(dataset)),
        num_workers=workers(1),
        persistent_workers=workers(1) > 0,
    )
    for _ in range(EPOCHS):
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
