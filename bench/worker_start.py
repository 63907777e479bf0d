"""What a worker of PyTorch's loader costs before its first fetch: building the iterator, and the wait for the first batch behind it.

Prints medians over 15 epochs in ms by number of workers. `build` is the time of iter(), which grows by the start
of one process a worker; `first` the first next() of a batch that costs nothing, hand-over included; `end` the end of the epoch.
"""

import statistics
import time
import warnings

import torch
from torch.utils.data import DataLoader

EPOCHS = 15


class Rows(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.zeros(4)


def epoch_ms(workers):
    at = [time.perf_counter()]
    iterator = iter(DataLoader(Rows(2 * max(workers, 1)), batch_size=1, num_workers=workers))
    at.append(time.perf_counter())
    next(iterator)
    at.append(time.perf_counter())
    for _ in iterator:
        pass
    del iterator
    at.append(time.perf_counter())
    return [1e3 * (after - before) for before, after in zip(at, at[1:])]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.zeros(1)
    print("workers  build  first    end")
    for workers in (0, 1, 2, 4, 8):
        build, first, end = (statistics.median(part) for part in zip(*(epoch_ms(workers) for _ in range(EPOCHS))))
        print(f"{workers:7} {build:6.1f} {first:6.1f} {end:6.1f}")
