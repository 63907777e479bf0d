"""Every step formats and writes a thousand log lines to stdout."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import logging

import torch
from truth import Truth
from work import steps, training, workers

BATCH = 16
LINES = 1000


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s")
    truth = Truth()
    model, loss_of, optimizer = training(0.003, 0.006)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    for step, (x, y) in enumerate(truth.draws(loader)):
        optimizer.zero_grad()
        with truth.phase("forward"):
            loss = loss_of(model(x), y)
        with truth.phase("backward"):
            loss.backward()
        with truth.phase("optimizer"):
            optimizer.step()
        weights = model.layers[0].weight.detach().flatten().tolist()
        for name, value in zip(range(LINES), weights):
            logging.info("step %d weight %d = %.6f", step, name, value)
    truth.finish()
