"""A plain loop on accelerate: argv[1] updates."""

import sys

import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
rows = torch.utils.data.TensorDataset(torch.ones(4 * int(sys.argv[1]), 4))
loader = torch.utils.data.DataLoader(rows, batch_size=4)  # the user's own line
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for (x,) in loader:
    optimizer.zero_grad()
    accelerator.backward(model(x).sum())
    optimizer.step()
