"""Does not fit at first: catches it, halves the batch, and is healthy then."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, steps


def step(marks, model, loss_of, optimizer, batch):
    x, y = torch.ones(batch, 1024, device="cuda"), torch.zeros(batch, dtype=torch.long, device="cuda")
    optimizer.zero_grad()
    with marks.span("forward"):
        loss = loss_of(model(x), y)
    with marks.span("backward"):
        loss.backward()
    with marks.span("optimizer"):
        optimizer.step()
    with marks.span("wait"):
        loss.item()


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    batch, left = 1 << 20, steps(200)
    while left:
        try:
            step(marks, model, loss_of, optimizer, batch)
            left -= 1
        except torch.OutOfMemoryError:
            batch //= 2
            optimizer.zero_grad()
            torch.cuda.empty_cache()
    finish(marks)
