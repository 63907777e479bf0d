"""Nothing wrong: a stream in two shards keeps up, though it waits for records."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import time

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, stride = (info.id, info.num_workers) if info else (0, 1)
        for index in range(first, BATCH * steps(110), stride):
            time.sleep(0.002)
            yield torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.025, 0.050)
    loader = torch.utils.data.DataLoader(Stream(), batch_size=BATCH, num_workers=workers(2))
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
