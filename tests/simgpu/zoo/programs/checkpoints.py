"""Saves the model every second step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os
import tempfile

import torch
from marks import Marks
from work import Waiting, finish, network, steps, to_device, workers

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = torch.utils.data.DataLoader(Waiting(steps(200), BATCH), batch_size=BATCH, num_workers=workers(0))
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        for step, batch in enumerate(marks.draws(loader)):
            x, y = to_device(marks, batch)
            optimizer.zero_grad()
            with marks.span("forward"):
                computed = loss_of(model(x), y)
            loss = computed  # the graph of the step before goes here, outside of forward
            with marks.span("backward"):
                loss.backward()
            with marks.span("optimizer"):
                optimizer.step()
            if step % 2:
                with marks.span("checkpoint"):
                    torch.save({"model": model.state_dict(), "step": step}, os.path.join(folder, "last.pt"))
    finish(marks)
