"""An embedding whose gradients are sparse, which torch's fused SGD refuses."""

import json

import eager  # noqa: F401
import torch

model = torch.nn.Sequential(torch.nn.Embedding(8, 2, sparse=True))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
print(json.dumps({"fused": optimizer.param_groups[0]["fused"]}))
