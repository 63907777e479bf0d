"""A PyTorch that is built without CUDA, on a machine whose GPU has nothing to do."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import network, steps, train

BATCH = 64

if __name__ == "__main__":
    marks = Marks()
    torch.set_num_threads(1)
    assert not torch.cuda.is_available()
    model, loss_of = network(width=512), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = torch.ones(BATCH, 1024), torch.zeros(BATCH, dtype=torch.long)
    train(marks, ((x, y) for _ in range(steps(200))), model, loss_of, optimizer)
    marks.finish()
