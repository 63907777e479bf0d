"""Updates of a small model that is recomputed in backward, or whose gradients are differentiated; argv[1]: {"how": ...}."""

import json
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

how = json.loads(sys.argv[1])["how"]
torch.manual_seed(0)
inside = set()  # types of what the last layer gets


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(nn.Linear(8, 16), nn.Tanh())
        self.two = nn.Linear(16, 1)

    def forward(self, x):
        x = checkpoint(self.one, x, use_reentrant=False) if how == "inner" else self.one(x)
        if not torch.compiler.is_compiling():
            inside.add(str(x.dtype))
        return self.two(x)


def recomputed(x, reentrant=False):
    return checkpoint(model, x, use_reentrant=reentrant)


def loss_of(x, step):
    if how == "root":
        return recomputed(x).pow(2).mean()
    if how == "twice":
        return (recomputed(x) - recomputed(x.flip(0))).pow(2).mean()
    if how == "inside a function":
        return checkpoint(lambda x: model(x).pow(2).mean(), x, use_reentrant=False)
    if how == "reentrant":
        return recomputed(x.requires_grad_(), True).pow(2).mean()
    if how == "penalty" or (how == "lazy penalty" and step % 4 == 0):
        out = model(x.requires_grad_())
        (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        return out.pow(2).mean() + slope.pow(2).mean()
    return model(x).pow(2).mean()


model = Blocks()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(6):
    loss = loss_of(torch.randn(4, 8), step)
    optimizer.zero_grad()
    if how == "inner":  # recomputes in a backward that begins in grad()
        for parameter, gradient in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters())), strict=True):
            parameter.grad = gradient
    else:
        loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(json.dumps({"losses": losses, "inside": sorted(inside)}))
