"""Healthy: the device computes, and the host is done long before it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Waiting, finish, network, steps, train_epoch, workers

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    dataset = Waiting(steps(200), BATCH)
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(1), pin_memory=True)
    train_epoch(marks, marks.draws(loader), model, loss_of, optimizer, non_blocking=True)
    finish(marks)
