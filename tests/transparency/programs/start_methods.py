"""Loader workers and plain processes, started by fork, spawn and forkserver."""

import multiprocessing
import sys

import eager  # noqa: F401
import torch
from tiny import Rows, set_up, train


def square(value):
    return value * value, sorted(m for m in sys.modules if "site" in m and m != "sitecustomize")


if __name__ == "__main__":
    method = sys.argv[1]
    model, loss_of, optimizer = set_up()
    loader = torch.utils.data.DataLoader(
        Rows(), batch_size=4, shuffle=True, num_workers=2, multiprocessing_context=method
    )
    print(train(model, loss_of, optimizer, loader))
    with multiprocessing.get_context(method).Pool(1) as pool:
        print(pool.map(square, range(4)))
