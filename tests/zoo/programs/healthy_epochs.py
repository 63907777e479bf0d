"""Nothing wrong: several epochs with workers that stay, and a scheduler."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
EPOCHS = 5


class Cheap(torch.utils.data.Dataset):
    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.020, 0.040)
    loader = torch.utils.data.DataLoader(
        Cheap(steps(160) // EPOCHS),
        batch_size=BATCH,
        shuffle=True,
        num_workers=workers(2),
        persistent_workers=workers(2) > 0,
    )
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.9)
    for _ in range(EPOCHS):
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
        schedule.step()
    truth.finish()
