"""Reads the loss each step: the host waits for the device, and the device then for the host's launches."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, steps

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network(width=512, layers=24, features=512).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.ones(BATCH, 512, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")
    total = 0.0
    for _ in range(steps(200)):
        optimizer.zero_grad()
        with marks.span("forward"):
            loss = loss_of(model(x), y)
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
        with marks.span("wait"):
            total += loss.item()
    finish(marks)
