#!/usr/bin/env python3
"""What a print() costs with its output recorded and without, in turns: median, and the middle half of the rounds.

    bench/output_cost.py [--rounds 15] [--prints 20000]

One process; stdout is a file, a pipe that somebody reads, or a terminal that somebody reads. With --line, each case is one write of text
and line feed (what logging does) instead of print().
"""

import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def native():
    path = str(ROOT / "build/release/lib/flatout/_track.abi3.so")
    loader = importlib.machinery.ExtensionFileLoader("_track", path)
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("_track", loader, origin=path))
    loader.exec_module(module)
    return module


def drain(fd):
    try:
        while os.read(fd, 1 << 20):
            pass
    except OSError:  # a terminal whose other end was closed
        pass


def place(kind, folder):
    """(descriptor to write to, buffering) of one kind of stdout."""
    if kind == "file":
        return os.open(os.path.join(folder, "out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    ends = os.openpty() if kind == "terminal" else os.pipe()
    threading.Thread(target=drain, args=(ends[0],), daemon=True).start()
    return ends[1]


def one_round(prints, single):
    write = sys.stdout.write
    begin = time.perf_counter()
    if single:
        for i in range(prints):
            write("step 1234 loss 0.123456 lr 0.001\n")
    else:
        for i in range(prints):
            print("step", i, "loss", 0.123456, "lr", 0.001)
    sys.stdout.flush()
    return (time.perf_counter() - begin) / prints * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--prints", type=int, default=20000)
    options = parser.parse_args()
    track = native()
    print(f"{'stdout':10} {'call':8} {'plain us':>22} {'recorded us':>22} {'more us':>8}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("file", "pipe", "terminal"):
            for single in (False, True):
                kept = sys.stdout
                sys.stdout = open(place(kind, folder), "w", buffering=1 if kind == "terminal" else -1)
                rounds = {False: [], True: []}
                for turn in range(2 * options.rounds):
                    recorded = turn % 2 == 1
                    if recorded:
                        track.record_output(os.path.join(folder, "output"), True, False)
                    rounds[recorded].append(one_round(options.prints, single))
                    if recorded:
                        track.stop_output()
                sys.stdout.close()
                sys.stdout = kept
                shown = []
                for recorded in (False, True):
                    quarter = statistics.quantiles(rounds[recorded], n=4)
                    shown.append(f"{quarter[1]:8.2f} ({quarter[0]:.2f} to {quarter[2]:.2f})")
                more = statistics.median(rounds[True]) - statistics.median(rounds[False])
                print(f"{kind:10} {'write' if single else 'print':8} {shown[0]:>22} {shown[1]:>22} {more:8.2f}", file=sys.stderr)


if __name__ == "__main__":
    main()
