"""Two models and two updates to a draw, as a GAN has: one step, healthy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from truth import Truth
from work import steps, training, workers

BATCH = 8


class Cheap(torch.utils.data.Dataset):
    def __len__(self):
        return BATCH * steps(90)

    def __getitem__(self, index):
        return torch.full((16,), index / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    critic, loss_of, critic_update = training(0.010, 0.020)
    generator, _, generator_update = training(0.014, 0.028)
    loader = torch.utils.data.DataLoader(Cheap(), batch_size=BATCH, num_workers=workers(0))
    for x, y in truth.draws(loader):
        for model, optimizer in ((critic, critic_update), (generator, generator_update)):
            optimizer.zero_grad()
            with truth.phase("forward"):
                loss = loss_of(model(x), y)
            with truth.phase("backward"):
                loss.backward()
            with truth.phase("optimizer"):
                optimizer.step()
    truth.finish()
