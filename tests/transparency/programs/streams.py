"""The shuffled order, what workers draw, and what every random stream says after."""

import random
import sys

import numpy as np
import eager  # noqa: F401
import torch
from tiny import Rows, set_up, train


class Drawing(Rows):
    def __getitem__(self, index):
        print_me = [random.random(), float(np.random.rand()), float(torch.rand(()))]
        return torch.tensor([index, *print_me], dtype=torch.float64), torch.ones(1)


def seeded(worker):
    np.random.seed(worker)


if __name__ == "__main__":
    workers = int(sys.argv[1])
    random.seed(1)
    np.random.seed(2)
    model, loss_of, optimizer = set_up()
    loader = torch.utils.data.DataLoader(
        Drawing(), batch_size=4, shuffle=True, num_workers=workers, worker_init_fn=seeded
    )
    for _ in range(2):
        for x, y in loader:
            print(x.tolist())
            train(model, loss_of, optimizer, [(x.float(), y)])
    print(random.random(), np.random.rand(), torch.rand(3).tolist(), torch.initial_seed())
    print(sum(random.getstate()[1]), torch.get_rng_state().sum().item())
