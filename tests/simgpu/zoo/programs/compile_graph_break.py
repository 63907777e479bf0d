"""torch.compile of a model that logs in the middle of its forward, which breaks the graph in two."""

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from marks import Marks
from work import finish, network, on_device, steps, train


class Logging(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.below, self.above = network(layers=2), torch.nn.Linear(10, 10)

    def forward(self, x):
        x = self.below(x)
        logging.getLogger("model").debug("half way")
        return self.above(x)


if __name__ == "__main__":
    marks = Marks()
    model, loss_of = torch.compile(Logging().cuda()), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    train(marks, on_device(steps(200)), model, loss_of, optimizer)
    assert torch._dynamo.utils.counters["graph_break"], "the graph did not break"
    finish(marks)
