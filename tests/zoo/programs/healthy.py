"""Nothing wrong: two workers keep up with a step that computes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 16


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.025, 0.050)
    loader = torch.utils.data.DataLoader(
        Cheap(), batch_size=BATCH, shuffle=True, num_workers=workers(2)
    )
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
