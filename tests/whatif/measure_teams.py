#!/usr/bin/env python3
"""How fast PyTorch's intra-op threads go beside processes that want the same cores.

For each number of threads and of burning processes, interleaved over rounds: the time of a fixed
piece of work (matrix products and element-wise operators, so barriers between 0.05 and 2 ms)
alone and beside them, on the first two cores. "machine_cores" is what the whole machine
used meanwhile: keep other programs small beside it, also by a high priority (nice, and /proc/self/autogroup).
src/analyse/whatif_teams_test.cc holds the model to these figures.

Usage: measure_teams.py [--rounds N] OUT.json
"""

import argparse
import json
import multiprocessing
import os
import time

import torch

CORES = 2
WORK_S = 0.25  # of a piece of work alone
SIZES = (128, 256, 512)  # of the products, one after the other


def burn(stop):
    while not stop.is_set():
        for _ in range(100_000):
            pass


def piece(tensors, times):
    for _ in range(times):
        for a, b in tensors:
            torch.relu(a @ b).add_(1).sum()


def machine_cpu_s():
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def timed(tensors, times):
    wall, cpu = time.perf_counter(), time.process_time()
    piece(tensors, times)
    return time.perf_counter() - wall, time.process_time() - cpu


def beside(workers, tensors, times):
    stop = multiprocessing.Event()
    others = [multiprocessing.Process(target=burn, args=(stop,)) for _ in range(workers)]
    for other in others:
        other.start()
    piece(tensors, max(1, times // 4))  # until they run
    machine, began = machine_cpu_s(), time.perf_counter()
    wall, cpu = timed(tensors, times)
    spent = time.perf_counter() - began
    stop.set()
    used = machine_cpu_s() - machine
    for other in others:
        other.join()
    return wall, cpu, used / spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("out")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, range(CORES))
    tensors = [(torch.rand(n, n), torch.rand(n, n)) for n in SIZES]
    rows = []
    for threads in (1, 2, 4):
        torch.set_num_threads(threads)
        piece(tensors, 3)
        times = max(1, round(WORK_S / (timed(tensors, 5)[0] / 5)))
        for round_ in range(arguments.rounds):
            for workers in (1, 2, 3, 4):
                alone_wall, alone_cpu = timed(tensors, times)
                wall, cpu, machine_cores = beside(workers, tensors, times)
                rows.append(
                    dict(
                        threads=threads,
                        workers=workers,
                        round=round_,
                        alone_ms=round(alone_wall * 1e3, 1),
                        alone_cores=round(alone_cpu / alone_wall, 2),
                        beside_ms=round(wall * 1e3, 1),
                        beside_cores=round(cpu / wall, 2),
                        machine_cores=round(machine_cores, 2),
                    )
                )
                print(rows[-1], flush=True)
    with open(arguments.out, "w") as file:
        json.dump(dict(cores=CORES, torch=torch.__version__, rows=rows), file, indent=1)


if __name__ == "__main__":
    main()
