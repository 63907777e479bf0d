"""Forward and backward as CUDA graphs (make_graphed_callables), the update outside: healthy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, steps

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.ones(BATCH, 1024, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")
    model = torch.cuda.make_graphed_callables(model, (x,))
    for step in range(steps(200)):
        optimizer.zero_grad()
        with marks.span("forward"):
            loss = loss_of(model(x), y)
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
        if step % 10 == 9:
            with marks.span("wait"):
                loss.item()
    finish(marks)
