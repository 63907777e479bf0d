"""Two epochs of a loop with a part that torch.compile takes; argv[1]: {"how": ...}. Prints sizes of batches, and weights."""

import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset


class Own(torch.optim.Optimizer):
    """Its step is the program's own, so Dynamo goes into it."""

    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 0.1})

    @torch.no_grad()
    def step(self, closure=None):
        for parameter in self.param_groups[0]["params"]:
            parameter.add_(parameter.grad, alpha=-0.1)


how = json.loads(sys.argv[1])["how"]
torch.manual_seed(0)
model = torch.nn.Linear(6, 1)
kind = Own if how == "own" else lambda parameters: torch.optim.SGD(parameters, lr=0.1)
optimizer = kind(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(44, 6), torch.randn(44, 1)), batch_size=7 if how == "refused before" else 8)
if how == "method":
    model.compile(backend="eager")
called = torch.compile(model, backend="eager") if how == "model" else model


def update():
    if how in ("clip", "refused before"):
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()


def whole(x, y):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(called(x), y).backward()
    update()


step = update
if how not in ("model", "method", "refused before"):
    step = torch.compile({"step": optimizer.step, "whole": whole}.get(how, update), backend="eager")
sizes = []
for _ in range(2):
    for x, y in loader:
        sizes.append(len(x))
        if how == "refused before" and len(sizes) == 2:
            step = torch.compile(update, backend="eager")
        if how == "whole":
            step(x, y)
            continue
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(called(x), y).backward()
        step()
print(json.dumps({"sizes": sizes, "weights": model.weight.detach().flatten().tolist()}))
