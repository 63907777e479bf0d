"""Copies from pinned memory that do not wait, on a device that idles for want of data."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Pooled, Waiting, finish, steps, train_epoch, workers

BATCH = 64
PARTS = 16

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = Pooled(PARTS, layers=2).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    dataset = Waiting(steps(200), BATCH, 0.015, features=PARTS * 1024)
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(0), pin_memory=True)
    train_epoch(marks, marks.draws(loader), model, loss_of, optimizer, non_blocking=True)
    finish(marks)
