"""Fills a file system in the middle of training, and goes on."""

import os
import sys

import eager  # noqa: F401
import torch

target, steps = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(1)
torch.manual_seed(1)
model, loss_of = torch.nn.Linear(4, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for step in range(steps):
    if step == 5:
        with open(os.path.join(target, "filler"), "wb", buffering=0) as out:
            try:
                while True:
                    out.write(bytes(1 << 16))
            except OSError as problem:
                print("full:", problem.strerror, flush=True)
    optimizer.zero_grad()
    loss = loss_of(model(torch.ones(2, 4)), torch.ones(2, 1))
    loss.backward()
    optimizer.step()
print("done", loss.item().hex())
