"""Nothing wrong, and no torch.optim: the weights are updated by the loop itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import Model, steps, workers

BATCH = 8


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(100)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model, loss_of = Model(0.015, 0.030), torch.nn.MSELoss()
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    for x, y in truth.draws(loader):
        model.zero_grad()
        with truth.phase("forward"):
            loss = loss_of(model(x), y)
        with truth.phase("backward"):
            loss.backward()
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(weight.grad, alpha=-0.001)
        truth.updated()
    truth.finish()
