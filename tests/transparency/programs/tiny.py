"""The smallest training set-up, shared by the programs beside it."""

import torch
from torch import nn


class Rows(torch.utils.data.Dataset):
    def __init__(self, count=48):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((4,), float(index)), torch.tensor([float(index % 3)])


def set_up(seed=3):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    return model, nn.MSELoss(), optimizer


def train(model, loss_of, optimizer, batches):
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
