"""Healthy: forward under autocast with bfloat16."""

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
    for step, (x, y) in enumerate(on_device(steps(200), batch=1024)):
        optimizer.zero_grad()
        with marks.span("forward"), torch.autocast("cuda", dtype=torch.bfloat16):
            computed = loss_of(model(x), y)
        loss = computed  # the graph of the step before goes here, outside of forward
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
        if step % 10 == 9:
            with marks.span("wait"):
                loss.item()
    finish(marks)
