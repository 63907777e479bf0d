"""torch.compile with CUDA graph trees: one replay for the forward and one for the backward of each step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, on_device, steps, train

if __name__ == "__main__":
    marks = Marks()
    model = torch.compile(network(layers=3).cuda(), mode="reduce-overhead")
    loss_of = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    train(marks, on_device(steps(200)), model, loss_of, optimizer)
    finish(marks)
