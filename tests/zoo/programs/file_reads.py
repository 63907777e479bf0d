"""One worker that reads much from the disk, past the page cache.

The bytes per sample are set from the speed of the disk, so that a sample
takes about 8 ms anywhere.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import mmap
import os
import random
import tempfile
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
BLOCK = 1 << 19
FILE_BYTES = 192 << 20


def direct_read(path, blocks, rng):
    """Reads random blocks past the page cache; returns the last buffer."""
    buffer = mmap.mmap(-1, BLOCK)  # page-aligned, as O_DIRECT asks
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_DIRECT), "rb", 0) as file:
        for _ in range(blocks):
            file.seek(rng.randrange(FILE_BYTES // BLOCK) * BLOCK)
            file.readinto(buffer)
    return buffer


def blocks_for(path, seconds):
    rng = random.Random(0)
    start = time.perf_counter()
    direct_read(path, 64, rng)
    return max(1, round(seconds / ((time.perf_counter() - start) / 64)))


class Stored(torch.utils.data.Dataset):
    def __init__(self, path, blocks):
        self.path, self.blocks = path, blocks

    def __len__(self):
        return BATCH * steps(110)

    def __getitem__(self, index):
        buffer = direct_read(self.path, self.blocks, random.Random(index))
        return torch.full((16,), float(buffer[0]) / 256), torch.ones(1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        path = os.path.join(folder, "samples.bin")
        with open(path, "wb") as out:
            for _ in range(FILE_BYTES >> 22):
                out.write(os.urandom(1 << 22))
            out.flush()
            os.fsync(out.fileno())
        truth = Truth()
        model, loss_of, optimizer = training(0.002, 0.004)
        dataset = Stored(path, blocks_for(path, 0.008))
        truth.facts["bytes_per_sample"] = dataset.blocks * BLOCK
        loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, num_workers=workers(1))
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
        truth.finish()
