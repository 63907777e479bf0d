"""Needs nothing beside it: says how the interpreter was started, and trains if it can."""

import sys
import types

print(sys.flags, sys.argv, sys.path, flush=True)
try:
    import torch
except ImportError as problem:
    print("no torch:", problem)
    sys.exit(0)
# As eager.py has it, which is not beside a program that is read from stdin.
sys.modules["torch._dynamo"] = torch._dynamo = types.SimpleNamespace(disable=lambda function, *_, **__: function, graph_break=lambda: None)
torch.manual_seed(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item().hex())
