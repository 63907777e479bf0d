"""No loader: each batch is built by hand in the loop, in Python."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import burn, steps, training

BATCH = 8

if __name__ == "__main__":
    truth = Truth(boundary="forward")
    model, loss_of, optimizer = training(0.004, 0.008)
    for step in range(steps(200)):
        rows = []
        for row in range(BATCH):
            burn(0.003)
            rows.append([float((step + row + i) % 7) for i in range(16)])
        x, y = torch.tensor(rows), torch.ones(BATCH, 1)
        optimizer.zero_grad()
        with truth.phase("forward"):
            loss = loss_of(model(x), y)
        with truth.phase("backward"):
            loss.backward()
        with truth.phase("optimizer"):
            optimizer.step()
    truth.finish()
