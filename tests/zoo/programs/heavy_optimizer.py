"""Nothing wrong: a large table makes the update as long as the rest of the step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from torch import nn
from truth import Truth
from work import Model, steps, train_epoch, workers

BATCH = 16
TABLE = 1_500_000


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(140)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


class WithTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Model(0.004, 0.008)
        self.table = nn.Parameter(torch.zeros(TABLE))

    def forward(self, x):
        return self.body(x) + self.table.mean()


if __name__ == "__main__":
    truth = Truth()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = WithTable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    train_epoch(truth, truth.draws(loader), model, nn.MSELoss(), optimizer)
    truth.finish()
