"""Optimizers of many kinds; prints what stands in their groups while they train."""

import json

import eager  # noqa: F401
import torch
from torch.optim import SGD, Adam, AdamW, RMSprop


class Mine(SGD):
    def step(self, closure=None):
        return super().step(closure)


class Own(SGD):
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.sub_(parameter.grad, alpha=0.1)


model = torch.nn.Linear(2, 2)
weight, bias = model.parameters()
turning = torch.nn.Parameter(torch.ones(2, dtype=torch.complex64))
optimizers = {
    "Adam": Adam([{"params": [weight]}, {"params": [bias]}]),
    "AdamW": AdamW([weight]),
    "SGD": SGD([weight], momentum=0.9),
    "Mine": Mine([weight]),
    "SGD, foreach": SGD([weight], foreach=True),
    "Adam, fused=False": Adam([weight], fused=False),
    "Adam, capturable": Adam([weight], capturable=True),
    "Own": Own([weight]),
    "RMSprop": RMSprop([weight]),
    "SGD, complex": SGD([turning]),
}
for _ in range(2):
    (model(torch.ones(1, 2)).sum() + turning.abs().sum()).backward()
    for name, optimizer in optimizers.items():
        if name != "Adam, capturable":  # steps on an accelerator only
            optimizer.step()
groups = {name: optimizer.param_groups for name, optimizer in optimizers.items()}
print(json.dumps({"fused": {name: [g["fused"] for g in of if "fused" in g] for name, of in groups.items()}}))
