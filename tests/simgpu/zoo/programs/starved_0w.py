"""15 ms to fetch a batch by waiting, no workers; the device computes a third of that."""

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
    dataset = Waiting(steps(200), BATCH, 0.015)
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(0))
    train_epoch(marks, marks.draws(loader), model, loss_of, optimizer)
    finish(marks)
