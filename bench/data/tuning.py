#!/usr/bin/env python3
"""The engine's own tuning beside every fixed point of a grid, on real files: images a second, as Markdown on stdout.

    PYTHONPATH=python FLATOUT_DATA_LIBRARY=build/release/lib/libflatout_data.so.0 python bench/data/tuning.py SET/train

Each consumer takes batches of 64 (random_resized_crop 224, flip, normalize, float32). A point runs alone, in a loader of its own,
over files that were read into the page cache before; the first seconds are not counted, of the tuned one the three that it has for
itself. Then something disturbs the loader without a step for a while (DISTURBANCES): what the tuned one gives from five seconds
after that began, and from five seconds after it ended, beside the fixed points under the same.
"""

import argparse
import contextlib
import itertools
import statistics
import subprocess
import sys
import time

import numpy
from loaderbench import page_cache

from flatout import data

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
BATCH = 64
SETTLED_S = 3  # what the tuned loader has for itself at first
RECOVERED_S = 5  # and after a disturbance began or ended


def asleep(seconds):
    return lambda: time.sleep(seconds)


def on_a_core(size=384, times=100):
    """A step that computes on one core."""
    numbers = numpy.ones((size, size), numpy.float32)

    def step():
        for _ in range(times):
            numpy.sin(numbers)

    return step


def on_all_cores(size=384, times=3):
    """A step as a small model on the CPU has it: on the threads of NumPy's BLAS, which wait for each other and for the next step by spinning."""
    left = numpy.ones((size, size), numpy.float32)

    def step():
        for _ in range(times):
            numpy.sin(left @ left)

    return step


CONSUMERS = {"no step": lambda: None, "10 ms step": asleep(0.010), "40 ms step": asleep(0.040), "step on a core": on_a_core(),
             "step on all cores": on_all_cores()}  # fmt: skip
# Programs that run until they are killed; argv[1] is the set.
DISTURBANCES = {
    "a thread that computes": "while True: pass",
    # Files are dropped from the page cache as fast as they come into it, so that they are read from the disk.
    "files from the disk": "import os, pathlib, sys, time\n"
                           "files = [path for path in pathlib.Path(sys.argv[1]).rglob('*') if path.is_file()]\n"
                           "while True:\n"
                           "    for path in files:\n"
                           "        fd = os.open(path, os.O_RDONLY)\n"
                           "        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)\n"
                           "        os.close(fd)\n"
                           "    time.sleep(0.05)\n",
}


@contextlib.contextmanager
def disturbed(folder, program):
    process = subprocess.Popen([sys.executable, "-c", program, folder]) if program else None
    try:
        yield
    finally:
        if process:
            process.kill()
            process.wait()


class Taking:
    """A consumer that takes batches without end and counts its samples over stretches of time."""

    def __init__(self, folder, step, **setting):
        page_cache.warm(folder)
        self.loader = data.images(folder).shuffle(seed=1).random_resized_crop(224).flip().normalize(MEAN, STD).batch(BATCH, **setting)
        self.batches = itertools.chain.from_iterable(iter(self.loader) for _ in itertools.count())
        self.step = step

    def rate(self, seconds):
        """Images a second over the next `seconds`, as batches asked for in them."""
        begun, samples = time.monotonic(), 0
        while (passed := time.monotonic() - begun) < seconds or samples == 0:
            samples += len(next(self.batches)[0])
            self.step()
        return samples / passed

    def close(self):
        stats = self.loader.stats()
        self.loader.close()
        return stats


def fixed_points(folder, step, grid, counted_s, rounds, program=None):
    """{point: images a second}: medians of rounds, each over all points, so that a drift meets all alike."""
    points = {point: [] for point in grid}
    for number in range(rounds):
        for (threads, ahead), rates in points.items() if number % 2 == 0 else reversed(points.items()):
            taking = Taking(folder, step, threads=threads, ahead=ahead)
            with disturbed(folder, program):
                taking.rate(0.5)
                rates.append(taking.rate(counted_s))
            taking.close()
    return {point: statistics.median(rates) for point, rates in points.items()}


def tuned(folder, step, counted_s, rounds):
    """(median rate after it settled, its last figures)."""
    rates = []
    for _ in range(rounds):
        taking = Taking(folder, step, tune=True)
        taking.rate(SETTLED_S)
        rates.append(taking.rate(3 * counted_s))
        stats = taking.close()
    return statistics.median(rates), stats


def tuned_through(folder, program, counted_s, rounds):
    """Median rates (while disturbed, afterwards), and its last figures."""
    during, after = [], []
    for _ in range(rounds):
        taking = Taking(folder, lambda: None, tune=True)
        taking.rate(SETTLED_S + 1)
        with disturbed(folder, program):
            taking.rate(RECOVERED_S)
            during.append(taking.rate(2 * counted_s))
        taking.rate(RECOVERED_S)
        after.append(taking.rate(2 * counted_s))
        stats = taking.close()
    return statistics.median(during), statistics.median(after), stats


def changes_in_a_minute(folder, step):
    """How often it changed in the minute after it had settled."""
    taking = Taking(folder, step, tune=True)
    taking.rate(SETTLED_S)
    before = taking.loader.stats()["tuning"]["changes"]
    taking.rate(60)
    return taking.close()["tuning"]["changes"] - before


def line(name, points, found, stats):
    best = max(points, key=points.get)
    worst = min(points.values())
    print("| %s | %.0f at %d x %d | %.0f | %.0f | %.1f %% | %d x %d |" % (
        name, points[best], *best, worst, found, 100 * found / points[best], stats["threads"], stats["ahead"]), flush=True)
    for change in stats["tuning"]["last_changes"]:
        print("  %s" % (change,), file=sys.stderr)
    print("  %s" % ({"%dx%d" % point: round(value) for point, value in points.items()},), file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--ahead", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--counted", type=float, default=1.5, help="seconds of each point and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--consumers", nargs="*", choices=CONSUMERS, default=list(CONSUMERS))
    parser.add_argument("--disturbances", nargs="*", choices=DISTURBANCES, default=list(DISTURBANCES))
    parser.add_argument("--minutes", nargs="*", choices=CONSUMERS, default=[], help="count the changes of a minute at rest, of these consumers")
    given = parser.parse_args()
    grid = list(itertools.product(given.threads, given.ahead))
    print("| consumer | best fixed point | worst | tuned | of the best | its setting |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in given.consumers:
        points = fixed_points(given.folder, CONSUMERS[name], grid, given.counted, given.rounds)
        line(name, points, *tuned(given.folder, CONSUMERS[name], given.counted, given.rounds))
    for name in given.disturbances:
        program, still = DISTURBANCES[name], CONSUMERS["no step"]
        points = fixed_points(given.folder, still, grid, given.counted, given.rounds, program)
        free = fixed_points(given.folder, still, grid, given.counted, given.rounds)
        during, after, stats = tuned_through(given.folder, program, given.counted, given.rounds)
        line(f"{name}, meanwhile", points, during, stats)
        line(f"{name}, afterwards", free, after, stats)
    for name in given.minutes:
        print("changes in a minute at rest, %s: %d" % (name, changes_in_a_minute(given.folder, CONSUMERS[name])), flush=True)


if __name__ == "__main__":
    main()
