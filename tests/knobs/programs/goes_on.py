"""Trains until it is ended, and prints a line an epoch: batches, whether all samples came once, the optimizer's kernels, flags.

    goes_on.py JSON    {"samples", "batch", "fork", "held", "pictures", "handles"}
"""

import json
import os
import signal
import sys

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, Dataset

choices = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
torch.manual_seed(0)
if choices.get("handles"):
    signal.signal(signal.SIGUSR1, lambda *_: print("handled", flush=True))
torch.set_num_threads(1)


class Numbers(Dataset):
    def __len__(self):
        return choices.get("samples", 80)

    def __getitem__(self, index):
        return torch.full((4, 2, 2) if choices.get("pictures") else (16,), float(index)) / 100, index


def batches():
    if choices.get("held"):
        return held
    return DataLoader(Numbers(), batch_size=choices.get("batch", 8), shuffle=True)


held = DataLoader(Numbers(), batch_size=choices.get("batch", 8), shuffle=True) if choices.get("held") else None
if choices.get("pictures"):
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 2, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(72, 1))
else:
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters())
if choices.get("fork") and os.fork() == 0:
    choices["epochs"] = 3  # a second process that trains
for epoch in range(choices.get("epochs", 10**6)):
    seen = []
    for x, index in batches():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        seen += index.tolist()
    print(json.dumps({
        "epoch": epoch, "batches": len(seen) // choices.get("batch", 8), "samples": len(set(seen)), "drawn": len(seen),
        "fused": optimizer.param_groups[0]["fused"], "threads": torch.get_num_threads(), "random": float(torch.rand(1)),
        "last": model[0].weight.dim() == 4 and not model[0].weight.is_contiguous(), "dtype": str(loss.dtype), "finite": bool(torch.isfinite(loss)),
    }), flush=True)  # fmt: skip
