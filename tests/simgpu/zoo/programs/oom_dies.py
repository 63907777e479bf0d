"""Asks for more memory than there is at its 41st step, and dies of it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import network

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(60):
        batch = BATCH if step < 40 else 1 << 22
        x, y = torch.ones(batch, 1024, device="cuda"), torch.zeros(batch, dtype=torch.long, device="cuda")
        optimizer.zero_grad()
        with marks.span("forward"):
            loss = loss_of(model(x), y)
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
