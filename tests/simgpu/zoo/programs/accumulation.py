"""Healthy: four micro-batches to an update."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Waiting, finish, network, steps, to_device, workers

BATCH = 64
MICRO = 4

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    dataset = Waiting(MICRO * steps(200), BATCH)
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(1), pin_memory=True)
    for micro, batch in enumerate(marks.draws(loader)):
        x, y = to_device(marks, batch, non_blocking=True)
        with marks.span("forward"):
            computed = loss_of(model(x), y) / MICRO
        loss = computed  # the graph of the step before goes here, outside of forward
        with marks.span("backward"):
            loss.backward()
        if micro % MICRO == MICRO - 1:
            with marks.span("optimizer"):
                optimizer.step()
            optimizer.zero_grad()
            with marks.span("wait"):  # shows the loss; else the launch queue fills, and any call may wait for room
                loss.item()
    finish(marks)
