"""A model that is fast in bfloat16 and wrong: it adds a large number to what it computes
and takes it off again, which 8 bits of mantissa do not survive."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LARGE = 256.0


class Differences(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 1)

    def forward(self, x):
        small = self.linear(x)
        time.sleep(0.002 if small.dtype is torch.bfloat16 else 0.06)  # a busy machine does not change it
        return (small + LARGE) - LARGE


torch.manual_seed(0)
x = torch.rand(4000, 8)
loader = DataLoader(TensorDataset(x, 0.4 * x.sum(1, keepdim=True) / 8), batch_size=4)
model = Differences()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for inputs, target in loader:
    loss = nn.functional.mse_loss(model(inputs), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
