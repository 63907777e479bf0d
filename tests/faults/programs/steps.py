"""Trains in small steps and announces each one that is complete, so that a kill
at any moment can be held against what was announced.

The announcement is a write of 16 bytes to a file (completed updates, updates
begun), which outlives the process. A step is announced at the draw after it.
"""

import os
import struct
import sys
import time

import eager  # noqa: F401
import torch


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        return torch.full((4,), float(index % 7)), torch.ones(1)


announced = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
limit = int(sys.argv[2]) if len(sys.argv) > 2 else 10**9
pause = float(sys.argv[3]) if len(sys.argv) > 3 else 0.002
torch.set_num_threads(1)
model, loss_of = torch.nn.Linear(4, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
loader = torch.utils.data.DataLoader(Rows(), batch_size=2)
for step, (x, y) in enumerate(loader):
    os.pwrite(announced, struct.pack("qq", step, step), 0)
    if step == limit:
        break
    optimizer.zero_grad()
    loss = loss_of(model(x), y)
    loss.backward()
    os.pwrite(announced, struct.pack("qq", step, step + 1), 0)
    optimizer.step()
    time.sleep(pause)
print("done")
