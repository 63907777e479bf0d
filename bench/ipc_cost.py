#!/usr/bin/env python3
"""What it costs PyTorch to hand a batch from a loader worker to the program.

Prints, for each batch size and worker count, medians in microseconds:
  fetch0    CPU of one fetch (index + default_collate) in the program itself
  worker    CPU of one batch in the worker process, fetch and hand-over
  worker+   worker - fetch0: what the hand-over adds there
  next      wall time of next() with the batch ready: what it adds in the program
  touch+    reading the batch for the first time minus reading it again
The constants of src/analyse/whatif.cc come from this program. Run it on a quiet
machine (or with a high priority); it takes some seconds.

Usage: ipc_cost.py [--batches N]
"""

import argparse
import os
import platform
import statistics
import time

import torch
from torch.utils.data import DataLoader, Dataset

BATCH = 64


class Rows(Dataset):
    """Items cost next to nothing; the first column carries the worker's CPU clock."""

    def __init__(self, batch_bytes, length):
        self.row = torch.zeros(max(1, batch_bytes // BATCH // 4))
        self.length = length * BATCH

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        clock = time.process_time_ns() if index % BATCH == 0 else 0
        return self.row, clock


def fetch_in_program(batch_bytes, batches):
    loader = iter(DataLoader(Rows(batch_bytes, batches), batch_size=BATCH))
    costs = []
    for _ in range(batches):
        begin = time.thread_time_ns()
        batch = next(loader)
        costs.append(time.thread_time_ns() - begin)
        del batch
    return statistics.median(costs) / 1e3


def through_workers(batch_bytes, batches, workers):
    loader = iter(DataLoader(Rows(batch_bytes, batches), batch_size=BATCH, num_workers=workers))
    draws, touches, clocks = [], [], []
    for _ in range(batches):
        time.sleep(0.004 + batch_bytes / 1e9)  # until the batch is ready
        begin = time.perf_counter_ns()
        rows, clock = next(loader)
        drawn = time.perf_counter_ns()
        rows.sum()
        first = time.perf_counter_ns()
        rows.sum()
        draws.append(drawn - begin)
        touches.append((first - drawn) - (time.perf_counter_ns() - first))
        clocks.append(int(clock[0]))
    worker = [b - a for a, b in zip(clocks, clocks[workers:])]
    half = len(draws) // 2  # the second half: the first faults code and heap in
    return [statistics.median(v[half:]) / 1e3 for v in (worker, draws, touches)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=80)
    batches = parser.parse_args().batches
    torch.set_num_threads(1)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, "
          f"torch {torch.__version__}, {time.strftime('%Y-%m-%d')}")
    print(f"{'bytes':>9} {'workers':>7} {'fetch0':>9} {'worker':>9} {'worker+':>9} {'next':>9} {'touch+':>9}")
    for batch_bytes in (4096, 1 << 20, 10 << 20):
        alone = fetch_in_program(batch_bytes, batches)
        for workers in (1, 2):
            worker, draw, touch = through_workers(batch_bytes, batches, workers)
            print(f"{batch_bytes:>9} {workers:>7} {alone:>9.0f} {worker:>9.0f} "
                  f"{worker - alone:>9.0f} {draw:>9.0f} {touch:>9.0f}")


if __name__ == "__main__":
    main()
