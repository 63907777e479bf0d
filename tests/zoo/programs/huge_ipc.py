"""Samples are cheap to make and huge: they are pickled through a pipe.

A collate that keeps plain Python objects makes the worker send every byte of
them through a pipe, where tensors would have gone through shared memory.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import numpy as np
import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 4
SAMPLE_BYTES = 6 << 20
POOL = np.zeros(SAMPLE_BYTES, dtype=np.uint8)


class Huge(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        return {"raw": POOL, "x": np.full(16, index / 1000, dtype=np.float32)}


def keep_list(samples):
    return [dict(sample, raw=sample["raw"][i:]) for i, sample in enumerate(samples)]


def tensors(batches):
    for batch in batches:
        yield torch.stack([torch.from_numpy(s["x"]) for s in batch]), torch.ones(len(batch), 1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.005)
    loader = torch.utils.data.DataLoader(
        Huge(), batch_size=BATCH, num_workers=workers(1), collate_fn=keep_list
    )
    train_epoch(truth, tensors(truth.draws(loader)), model, loss_of, optimizer)
    truth.finish()
