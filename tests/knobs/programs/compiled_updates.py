"""Two epochs of a loop whose update torch.compile takes; argv[1]: {"how": ...}. Prints sizes of batches, and weights."""

import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

how = json.loads(sys.argv[1])["how"]
torch.manual_seed(0)
model = torch.nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(44, 6), torch.randn(44, 1)), batch_size=8)


def whole(x, y):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


step = {"step": optimizer.step, "inlined": lambda: optimizer.step(), "whole": whole}[how]
step = torch.compile(step, backend="eager")
sizes = []
for _ in range(2):
    for x, y in loader:
        sizes.append(len(x))
        if how == "whole":
            step(x, y)
            continue
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        step()
print(json.dumps({"sizes": sizes, "weights": model.weight.detach().flatten().tolist()}))
