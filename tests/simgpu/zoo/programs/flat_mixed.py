"""A little of each: data, Python, copies. None of it is worth a word; the device is busy nearly all the time."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Waiting, burn, finish, network, steps, to_device, workers

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    dataset = Waiting(steps(200), BATCH, 0.001)
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(0))
    for batch in marks.draws(loader):
        x, y = to_device(marks, batch)
        burn(0.0005)
        optimizer.zero_grad()
        with marks.span("forward"):
            loss = loss_of(model(x), y)
        with marks.span("backward"):
            loss.backward()
        with marks.span("optimizer"):
            optimizer.step()
    finish(marks)
