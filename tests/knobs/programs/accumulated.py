"""A training as people write it, clipped, with a scheduler and a scaler; argv[1] = JSON
of choices. Prints what it saw and learnt, and where an error of its own was raised."""

import json
import sys
import traceback

import eager  # noqa: F401
import torch
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, TensorDataset

choices = json.loads(sys.argv[1])
torch.manual_seed(1)
data = TensorDataset(torch.randn(44, 6), torch.randn(44, 1))
loader = DataLoader(data, batch_size=choices.get("batch", 8), shuffle=True, num_workers=choices.get("workers", 0))
model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=3 * len(loader))
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
seen = {"shapes": [], "lengths": [len(loader)], "traceback": ""}
for _ in range(3):
    for x, y in loader:
        seen["shapes"].append(len(x))
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_(model.parameters(), 0.3)
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
seen["lengths"].append(len(loader))
seen["rate"] = schedule.get_last_lr()[0]
seen["weights"] = torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).tolist()
seen["random"] = torch.rand(()).item().hex()
try:
    optimizer.step("no closure")
except TypeError:
    seen["traceback"] = traceback.format_exc()
print(json.dumps(seen))
