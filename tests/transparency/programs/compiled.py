"""A compiled model: its graphs, node by node, its breaks and its recompiles."""

import re

import torch
import torch._dynamo
from tiny import Rows, set_up
from torch._dynamo.utils import counters

graphs = []


def named(target):
    """Without the address that a function's repr ends with."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(target))


def recording(module, inputs):
    graphs.append([f"{node.op} {named(node.target)} {node.name}" for node in module.graph.nodes])
    return module.forward


def with_break(model, x):
    y = model(x)
    torch._dynamo.graph_break()
    return model(y.expand(-1, 4))


model, loss_of, optimizer = set_up()
variants = {
    "model": torch.compile(model, backend=recording),
    "fullgraph": torch.compile(model, backend=recording, fullgraph=True),
    "function": torch.compile(lambda x: model(x).sum(), backend=recording),
    "eager": torch.compile(model, backend="eager"),
    "break": torch.compile(lambda x: with_break(model, x), backend=recording),
}
for name, call in variants.items():
    torch._dynamo.reset()
    graphs.clear()
    counters.clear()
    loader = torch.utils.data.DataLoader(Rows(24), batch_size=4)
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        rows = x[: 4 if step < 3 else 3]  # another shape: a recompile
        loss = loss_of(call(rows).mean(), y.mean())
        loss.backward()
        optimizer.step()
        print(name, step, loss.item().hex())
    print(name, len(graphs), "graphs")
    for graph in graphs:
        print(*graph, sep="\n  ")
    for group in ("stats", "graph_break", "unimplemented", "frames", "recompiles"):
        print(name, group, sorted((str(k), v) for k, v in counters[group].items()))
torch._dynamo.reset()
told = torch._dynamo.explain(lambda x: with_break(model, x))(torch.ones(4, 4))
print(told.graph_count, told.graph_break_count, told.op_count)
