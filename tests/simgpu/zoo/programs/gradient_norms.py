"""Reads the norm of each gradient by itself: the host waits for the device, and the device for the next launch."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, steps

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network(width=512, layers=24, features=1024).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.ones(BATCH, 1024, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")
    for _ in range(steps(200)):
        optimizer.zero_grad()
        with marks.span("forward"):
            computed = loss_of(model(x), y)
        loss = computed  # the graph of the step before goes here, outside of forward
        with marks.span("backward"):
            loss.backward()
        total = 0.0
        for parameter in model.parameters():
            norm = parameter.grad.norm()
            with marks.span("wait"):
                total += norm.item() ** 2
        with marks.span("optimizer"):
            optimizer.step()
    finish(marks)
