"""A compiled optimizer step, and a compiled function around a whole training step."""

import logging
import re

import torch
import torch._dynamo
from tiny import Rows, set_up
from torch._dynamo.utils import counters

graphs = []
torch._logging.set_logs(dynamo=logging.ERROR)  # its warnings carry the time and the pid


def named(target):
    """Without the address that a function's repr ends with."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(target))



def recording(module, inputs):
    graphs.append([f"{node.op} {named(node.target)}" for node in module.graph.nodes])
    return module.forward


model, loss_of, optimizer = set_up()
step = torch.compile(optimizer.step, backend=recording)


@torch.compile(backend=recording)
def forward_and_loss(x, y):
    return loss_of(model(x), y)


@torch.compile(backend=recording)
def whole(x, y):
    optimizer.zero_grad()
    loss = loss_of(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


loader = torch.utils.data.DataLoader(Rows(16), batch_size=4)
for x, y in loader:
    optimizer.zero_grad()
    loss = forward_and_loss(x, y)
    loss.backward()
    step()
    print(loss.item().hex())
for x, y in loader:
    print(whole(x, y).item().hex())
print(len(graphs))
for graph in graphs:
    print(*graph, sep="\n  ")
# Not "frames": with an optimizer hook registered (PyTorch's own hook point) Dynamo
# inlines an empty frame of torch.optim that it otherwise looks at by itself.
for group in ("stats", "graph_break"):
    print(group, sorted((str(k), v) for k, v in counters[group].items()))
