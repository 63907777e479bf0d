"""Healthy: float16 with a GradScaler, which looks at a flag of the device before each update."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, on_device, steps

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network(width=2048).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda")
    for step, (x, y) in enumerate(on_device(steps(200), batch=1024)):
        optimizer.zero_grad()
        with marks.span("forward"), torch.autocast("cuda", dtype=torch.float16):
            computed = loss_of(model(x), y)
        loss = computed  # the graph of the step before goes here, outside of forward
        with marks.span("backward"):
            scaler.scale(loss).backward()
        with marks.span("optimizer"):
            scaler.step(optimizer)
        scaler.update()
        if step % 10 == 9:
            with marks.span("wait"):
                loss.item()
    finish(marks)
