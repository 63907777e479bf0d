"""Three updates in which backward() waits for 20 ms before the engine runs, as for room for its first launch."""

import time

import eager  # noqa: F401
import torch

ones_like = torch.ones_like


def waiting(*args, **kwargs):
    time.sleep(0.02)
    return ones_like(*args, **kwargs)


torch.ones_like = waiting
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
