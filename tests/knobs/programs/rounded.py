"""Trainings under the knobs that hold something around a forward; argv[1] = JSON of
choices. Prints what a program can see of them as one line of JSON."""

import contextlib
import json
import sys
import traceback

import torch
from torch import nn

choices = json.loads(sys.argv[1])
torch.manual_seed(0)
seen = []  # in a submodule: type of what arrives, whether autocast is on, is the weight cast anew


class Looks(nn.Module):
    def forward(self, x):
        strides = "last" if x.dim() == 4 and x.stride(1) == 1 else "first"
        seen.append([str(x.dtype), torch.is_autocast_enabled("cpu"), strides])
        if choices.get("breaks") and len(seen) == 3:
            raise ValueError("of the program")
        return x


def network():
    if choices.get("images"):
        layers = nn.Conv2d(3, 8, 3), nn.ReLU(), Looks(), nn.Conv2d(8, 4, 3), nn.AdaptiveAvgPool2d(2)
        return nn.Sequential(*layers) if choices["images"] == "out" else nn.Sequential(*layers, nn.Flatten(), nn.Linear(16, 1))
    first = nn.Linear(8, 32)
    layers = nn.Sequential(first, nn.ReLU(), Looks(), nn.Linear(32, 1))
    return Inside(layers) if choices.get("autocast") == "inside" else layers


class Inside(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            return self.layers(x)


def batch():
    x = torch.randn(16, 3, 8, 8) if choices.get("images") else torch.randn(16, 8)
    return x, x.flatten(1).sum(1, keepdim=True) / 4


model = network()
names = list(model.state_dict())
identities = [id(parameter) for parameter in model.parameters()]
if choices.get("half"):
    model[-1].bfloat16()
if choices.get("compiled"):
    model.compile(backend="eager")
root = model
if choices.get("ddp"):
    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:%d" % choices["ddp"], rank=0, world_size=1)
    root = nn.parallel.DistributedDataParallel(model)
if choices.get("wrapped"):
    root = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=choices.get("lr", 0.05))
scaler = torch.amp.GradScaler("cpu", enabled=bool(choices.get("scaler")))
around = torch.autocast("cpu", torch.bfloat16) if choices.get("autocast") == "around" else contextlib.nullcontext()
losses, outputs, broke = [], [], ""
x, target = batch()
for _ in range(choices.get("steps", 12)):
    try:
        with around:
            out = root(x)
    except ValueError:
        broke = traceback.format_exc()
        continue
    outputs.append(str(out.dtype))
    loss = nn.functional.mse_loss(out.flatten(1).mean(1, keepdim=True), target)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
trained = list(seen)
model.eval()
with torch.no_grad():
    evaluated = model(x)
# By hand what the last training forward must have computed from the weights of now.
model.train()
before = root(x)
with torch.autocast("cpu", torch.bfloat16):
    by_hand = model(x) if not choices.get("ddp") else before
print(json.dumps({
    "losses": losses,
    "outputs": sorted(set(outputs)),
    "inside": [list(entry) for entry in sorted(set(map(tuple, trained)))],
    "evaluated": [seen[len(trained)], str(evaluated.dtype)],
    "fresh": torch.equal(before, by_hand.float()),
    "off": not torch.is_autocast_enabled("cpu"),
    "types": sorted({str(value.dtype) for value in model.state_dict().values()}),
    "names": names == list(model.state_dict()),
    "identities": identities == [id(parameter) for parameter in model.parameters()],
    "weights": "last" if choices.get("images") and model[0].weight.stride(1) == 1 else "first",
    "pickles": not any("flatout" in str(value) for value in vars(model).values()),
    "random": torch.rand(()).item().hex(),
    "traceback": broke,
}))
