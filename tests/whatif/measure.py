#!/usr/bin/env python3
"""What real PyTorch does with 0, 1, 2 and 4 loader workers, for programs of known cost.

    sleep  50 ms of waiting a batch, 10 ms of compute on one core
    burn   20 ms of CPU a batch, 10 ms of compute on one core
    mixed  10 ms of CPU and 20 ms of waiting a batch, 15 ms of compute
    large  the collation of 4 MB a batch, 10 ms of compute

Each program times itself; flatout is not involved. Writes JSON: of every run
the steps' (data_wait, compute) and, by whoever fetched, each batch's (wall,
CPU), in microseconds, and the cores that others used meanwhile. src/analyse/whatif_reality_test.cc holds the model to
this: from one setting's figures it must predict the others. Rounds are
interleaved; run it on a quiet machine of two cores or with a high priority.

Usage: measure.py [--programs NAME...] [--rounds N] [--steps N] OUT.json
"""

import argparse
import json
import os
import time

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

WARM_UP = 10
BATCH = 8
WORKERS = (0, 1, 2, 4)
PROGRAMS = {  # of a batch: CPU and waiting in seconds, bytes; compute of a step
    "sleep": dict(cpu=0, wait=0.050, size=4096, compute=0.010),
    "burn": dict(cpu=0.020, wait=0, size=4096, compute=0.010),
    "mixed": dict(cpu=0.010, wait=0.020, size=4096, compute=0.015),
    "large": dict(cpu=0, wait=0, size=4 << 20, compute=0.010),
}


def burn(seconds):
    end = time.thread_time() + seconds
    value = 0
    while time.thread_time() < end:
        for i in range(50):
            value += i * i
    return value


class Costly(Dataset):
    def __init__(self, program, length):
        self.program, self.length = program, length
        self.row = torch.zeros(program["size"] // BATCH // 4)

    def __len__(self):
        return self.length

    def __getitems__(self, indices):
        self.began = time.perf_counter_ns(), time.thread_time_ns()
        for _ in indices:
            burn(self.program["cpu"] / BATCH)
            time.sleep(self.program["wait"] / BATCH)
        return [self.row for _ in indices]

    def collate(self, rows):
        batch = default_collate(rows)
        wall, cpu = self.began
        return batch, torch.tensor([time.perf_counter_ns() - wall, time.thread_time_ns() - cpu])


def cores_used_s():
    """CPU seconds of the whole machine, and of this process and its ended children."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    own = os.times()
    machine = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return machine, own.user + own.system + own.children_user + own.children_system


def run(program, workers, steps):
    """One loop; "others_cores" is what the rest of the machine used meanwhile."""
    began, machine, own = time.monotonic(), *cores_used_s()
    out = loop(program, workers, steps)
    machine_after, own_after = cores_used_s()
    others = (machine_after - machine) - (own_after - own)
    return {**out, "others_cores": round(others / (time.monotonic() - began), 3)}


def loop(program, workers, steps):
    data = Costly(program, (steps + WARM_UP + 1) * BATCH)
    loader = iter(DataLoader(data, BATCH, num_workers=workers, collate_fn=data.collate))
    out = {"workers": workers, "steps_us": [], "fetches_us": []}
    for step in range(steps + WARM_UP):
        begin = time.perf_counter_ns()
        batch, fetch = next(loader)
        drawn = time.perf_counter_ns()
        batch.sum()
        burn(program["compute"])
        end = time.perf_counter_ns()
        if step >= WARM_UP:
            out["steps_us"].append([(drawn - begin) // 1000, (end - drawn) // 1000])
            out["fetches_us"].append([int(ns) // 1000 for ns in fetch])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    runs = []
    for round_ in range(arguments.rounds):
        for name in arguments.programs:
            program = PROGRAMS[name]
            for workers in WORKERS:
                measured = run(program, workers, arguments.steps)
                runs.append({"program": name, "round": round_, **measured})
                mean = sum(map(sum, measured["steps_us"])) / arguments.steps / 1e3
                print(f"{name:>6} workers {workers} step {mean:7.2f} ms, others used "
                      f"{measured['others_cores']:.2f} cores", flush=True)
    with open(arguments.out, "w") as file:
        machine = {"cpus": os.cpu_count(), "torch": torch.__version__,
                   "date": time.strftime("%Y-%m-%d")}
        programs = {name: {"batch_bytes": p["size"]} for name, p in PROGRAMS.items()}
        text = json.dumps({"machine": machine, "programs": programs, "runs": runs})
        file.write(text.replace('{"program"', '\n{"program"') + "\n")


if __name__ == "__main__":
    main()
