"""4 MB a step from memory that is not pinned: the device waits for each copy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import Pooled, finish, steps, train_epoch

BATCH = 64
PARTS = 16

if __name__ == "__main__":
    marks = Marks()
    model, loss_of = Pooled(PARTS).cuda(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    batches = [(torch.ones(BATCH, PARTS * 1024), torch.zeros(BATCH, dtype=torch.long)) for _ in range(4)]
    train_epoch(marks, (batches[step % 4] for step in range(steps(200))), model, loss_of, optimizer)
    finish(marks)
