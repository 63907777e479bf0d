"""A loop over files of numbers: argv = folder, "loader" or "memmap" or "own_open", workers, start method of workers ("" = torch's own)."""

import os
import sys
from pathlib import Path

import numpy
import eager  # noqa: F401
import torch


class Files(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*.bin"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        if sys.argv[2] == "own_open":  # relative, and twice
            os.chdir(path.parent)
            open(path.name, "rb").close()
            return torch.from_file(path.name, size=16, dtype=torch.float32)
        with open(path, "rb") as file:
            return torch.frombuffer(bytearray(file.read()), dtype=torch.float32)[:16]


def batches(folder):
    if sys.argv[2] == "memmap":
        while True:
            rows = numpy.memmap(Path(folder, "all.raw"), dtype="float32", mode="r")
            yield torch.from_numpy(numpy.array(rows[: 4 * 16]).reshape(4, 16))
    loader = torch.utils.data.DataLoader(Files(folder), batch_size=4, num_workers=int(sys.argv[3]), multiprocessing_context=sys.argv[4] or None)
    while True:
        yield from loader


if __name__ == "__main__":
    open(Path(sys.argv[1], "weights.pt"), "rb").close()  # before any data
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for batch in batches(sys.argv[1]):
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
