"""A training whose end would show: argv = number of workers, file that its end writes."""

import atexit
import sys
from pathlib import Path

import eager  # noqa: F401
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    workers, mark = int(sys.argv[1]), Path(sys.argv[2])
    atexit.register(lambda: mark.write_text("atexit"))
    loader = DataLoader(TensorDataset(torch.ones(96, 2)), batch_size=4, num_workers=workers)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        for (x,) in loader:
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
            print("step", file=sys.stderr, flush=True)
            sys.stdout.write(".")  # stays in the buffer
    finally:
        mark.write_text("finally")


if __name__ == "__main__":
    main()
