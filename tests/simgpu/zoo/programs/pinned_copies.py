"""16 MB a step from pinned memory, but the host waits for each copy, and the device with it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Pooled, finish, steps, train_epoch

BATCH = 64
PARTS = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = Pooled(PARTS).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.ones(BATCH, PARTS * 1024).pin_memory(), torch.zeros(BATCH, dtype=torch.long).pin_memory()
    train_epoch(marks, ((x, y) for _ in range(steps(200))), model, loss_of, optimizer)
    finish(marks)
