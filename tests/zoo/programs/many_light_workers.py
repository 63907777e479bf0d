"""Nothing wrong but for their number: twelve workers, and one could feed the step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import burn, steps, train_epoch, training, workers

BATCH = 16


class Light(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(200)

    def __getitem__(self, index):
        burn(0.0001)
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.020, 0.036)
    loader = torch.utils.data.DataLoader(Light(), batch_size=BATCH, num_workers=workers(12))
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
