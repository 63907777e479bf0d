"""Updates of several kinds, twelve each in a process of its own; argv[1] = the kind.
Prints, as one line of JSON, the norm of each update's gradients (null: none was made)."""

import json
import sys

import torch

KIND = sys.argv[1]
torch.manual_seed(3)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 1))
if KIND == "plain":
    model[2].to(torch.bfloat16)
if KIND == "embedding":
    model = torch.nn.Sequential(torch.nn.Embedding(5, 4, sparse=True), torch.nn.Flatten(), torch.nn.Linear(20, 1))
kind = {"fused": torch.optim.Adam, "compiled": torch.optim.SGD}.get(KIND, torch.optim.SGD)
optimizer = kind(model.parameters(), lr=0.01, **({"fused": True} if KIND == "fused" else {}))
scaled = KIND in ("scaled", "fused")
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, enabled=scaled)
update = torch.compile(optimizer.step, backend="eager") if KIND == "compiled" else lambda: scaler.step(optimizer)
norms = []
for step in range(12):
    x = torch.randint(5, (3, 5)) if KIND == "embedding" else torch.randn(4, 5)
    loss = model[2](model[1](model[0](x)).to(model[2].weight.dtype)).float().square().mean()
    if scaled and step in (2, 11):
        loss = loss * float("inf")
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    grads = [p.grad.to_dense().double() / scaler.get_scale() for p in model.parameters() if p.grad is not None]
    norm = torch.cat([grad.flatten() for grad in grads]).norm().item()
    norms.append(norm if norm == norm and norm != float("inf") else None)
    update()
    scaler.update()
print(json.dumps({"norms": norms, "draw": torch.rand(()).item(), "weights": float(sum(p.double().sum() for p in model.parameters()))}))
