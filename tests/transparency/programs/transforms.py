"""Tracing and functional transforms of a model see the model alone."""

import copy

import eager  # noqa: F401
import torch
import torch.fx
from tiny import Rows, set_up, train
from torch import nn

model, loss_of, optimizer = set_up()
train(model, loss_of, optimizer, torch.utils.data.DataLoader(Rows(16), batch_size=4))
model.eval()
x = torch.ones(2, 4)
print(torch.fx.symbolic_trace(model).code)
print(torch.fx.symbolic_trace(nn.Sequential(model, nn.ReLU())).graph)
print(torch.jit.trace(model, x).code)
print(torch.jit.script(model).code)
print(torch.jit.script(model)(x).tolist(), copy.deepcopy(model)(x).tolist())
print(torch.export.export(model, (x,)).graph)
weights = dict(model.named_parameters())
print(torch.func.functional_call(model, weights, (x,)).tolist())
per_sample = torch.func.vmap(
    torch.func.grad(lambda w, row: torch.func.functional_call(model, w, (row,)).sum()), (None, 0)
)
print({name: value.tolist() for name, value in per_sample(weights, x).items()})
print(torch.autograd.functional.jacobian(lambda v: model(v), x).tolist())
