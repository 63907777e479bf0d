"""A little of each: data, Python, copies. None of it is worth a word; the device is busy nearly all the time."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from marks import Marks
from work import burn, finish, network, steps, to_device, train, workers

BATCH = 64


class Batches(torch.utils.data.IterableDataset):
    def __iter__(self):
        x, y = torch.ones(BATCH, 1024), torch.zeros(BATCH, dtype=torch.long)
        for _ in range(steps(120)):
            time.sleep(0.0005)
            yield x, y


def with_python(batches):
    for batch in batches:
        burn(0.0005)
        yield batch


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = network(layers=8).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = torch.utils.data.DataLoader(Batches(), batch_size=None, num_workers=workers(0))
    moved = (to_device(marks, batch) for batch in marks.draws(loader))
    train(marks, with_python(moved), model, loss_of, optimizer)
    finish(marks)
