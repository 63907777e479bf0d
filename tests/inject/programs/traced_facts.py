"""Trains a model that is compiled, or watched by a mode, as the first argument says."""

import contextlib
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


how = sys.argv[1]
net = Net()
call, around = net, contextlib.nullcontext
if how == "fullgraph":
    call = torch.compile(net, fullgraph=True, backend="eager")
elif how == "in_place":
    net.compile(fullgraph=True, backend="eager")
elif how == "default_device":
    torch.set_default_device("cpu")
elif how == "functions":
    around = Functions
elif how == "operators_at_first":
    around = Operators
elif how == "traced_first":
    torch.jit.trace(net, torch.randn(4, 8), check_trace=False)  # which calls the model once more, untraced
    torch.export.export(net, (torch.randn(4, 8),))
    torch.fx.symbolic_trace(net)
data = torch.utils.data.TensorDataset(torch.randn(16, 8), torch.randint(0, 2, (16,)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step, (x, y) in enumerate(torch.utils.data.DataLoader(data, batch_size=4, generator=torch.Generator("cpu"))):
    with around() if how != "operators_at_first" or step == 0 else contextlib.nullcontext():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(call(x), y).backward()
        optimizer.step()
