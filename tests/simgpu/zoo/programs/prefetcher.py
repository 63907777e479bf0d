"""Copies the next batch on a stream of its own while the device computes: healthy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Pooled, finish, steps, train

BATCH = 64
PARTS = 32


class Prefetcher:
    def __init__(self, marks, batches):
        self.marks, self.batches = marks, batches
        self.stream = torch.cuda.Stream()

    def fetch(self):
        batch = next(self.batches, None)
        if batch is None:
            return None
        with torch.cuda.stream(self.stream), self.marks.span("copy_async"):
            return [part.cuda(non_blocking=True) for part in batch]

    def __iter__(self):
        ahead = self.fetch()
        while ahead is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            for part in ahead:
                part.record_stream(torch.cuda.current_stream())
            ready, ahead = ahead, self.fetch()
            yield ready


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = Pooled(PARTS).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.ones(BATCH, PARTS * 1024).pin_memory(), torch.zeros(BATCH, dtype=torch.long).pin_memory()
    train(marks, Prefetcher(marks, ((x, y) for _ in range(steps(200)))), model, loss_of, optimizer)
    finish(marks)
