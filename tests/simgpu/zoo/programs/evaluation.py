"""A healthy loop that evaluates after each epoch, for a third of the run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Waiting, finish, network, steps, train_epoch, workers

BATCH = 64
EPOCHS = 4


def evaluate(marks, model, loader, loss_of):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for batch in loader:
            x, y = (part.cuda() for part in batch)
            total += loss_of(model(x), y).item()
    model.train()
    return total


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network().cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    train = torch.utils.data.DataLoader(Waiting(steps(200) // EPOCHS, BATCH), batch_size=BATCH, num_workers=workers(0))
    held_out = torch.utils.data.DataLoader(Waiting(16, BATCH, 0.016), batch_size=BATCH)
    for _ in range(EPOCHS):
        train_epoch(marks, marks.draws(train), model, loss_of, optimizer)
        with marks.span("eval"):
            evaluate(marks, model, held_out, loss_of)
    finish(marks)
