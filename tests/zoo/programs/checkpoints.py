"""A large state is saved every second step, in the loop."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import os
import tempfile

import torch
from truth import Truth
from work import steps, training, workers

BATCH = 8
STATE_BYTES = 24 << 20


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(200)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    model, loss_of, optimizer = training(0.004, 0.008)
    moments = torch.zeros(STATE_BYTES // 4)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    with tempfile.TemporaryDirectory(dir=os.environ.get("ZOO_DISK", "/var/tmp")) as folder:
        for step, (x, y) in enumerate(truth.draws(loader)):
            optimizer.zero_grad()
            with truth.phase("forward"):
                loss = loss_of(model(x), y)
            with truth.phase("backward"):
                loss.backward()
            with truth.phase("optimizer"):
                optimizer.step()
            if step % 2 == 1:
                state = {"model": model.state_dict(), "moments": moments}
                with truth.phase("checkpoint"):
                    torch.save(state, os.path.join(folder, "last.pt"))
    truth.finish()
