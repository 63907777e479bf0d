"""Computes whenever it can on a device on which somebody else computes, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, on_device, steps, train

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    train(marks, on_device(steps(300)), model, loss_of, optimizer, log_every=1)
    finish(marks)
