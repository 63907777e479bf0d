"""Six workers for each CPU, which compute: they take the CPUs from the step.

A batch costs the workers so much that all CPUs are wanted by half as much
again as there is. Batches are ready long before they are drawn; it is the
training thread that waits for a core.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os

import torch
from truth import Truth
from work import burn, steps, train_epoch, training, workers

BATCH = 8
CPUS = len(os.sched_getaffinity(0))
STEP_S = 0.020
BATCH_S = CPUS * 1.5 * STEP_S - STEP_S


class Burning(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(200)

    def __getitem__(self, index):
        burn(BATCH_S / BATCH)
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.4 * STEP_S, 0.6 * STEP_S)
    loader = torch.utils.data.DataLoader(
        Burning(), batch_size=BATCH, num_workers=workers(6 * CPUS)
    )
    train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    truth.finish()
