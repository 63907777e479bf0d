#!/usr/bin/env python3
"""The engine's own tuning beside every fixed point of a grid, on real files: images a second, as Markdown on stdout.

    PYTHONPATH=python FLATOUT_DATA_LIBRARY=build/release/lib/libflatout_data.so.0 python bench/data/tuning.py SET/train

Each consumer takes batches of 64 (random_resized_crop 224, flip, normalize, float32). A point runs alone, in a loader of its own; the
first seconds are not counted, of the tuned one the three that it has for itself.
"""

import argparse
import itertools
import statistics
import subprocess
import sys
import time

import numpy

from flatout import data

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
BATCH = 64


def asleep(seconds):
    return lambda: time.sleep(seconds)


def on_a_core(size=384, times=3):
    """A step that computes on one core, as a small model on the CPU does."""
    left = numpy.ones((size, size), numpy.float32)

    def step():
        for _ in range(times):
            numpy.sin(left @ left)

    return step


CONSUMERS = {"no step": lambda: None, "10 ms step": asleep(0.010), "40 ms step": asleep(0.040), "step on a core": on_a_core()}


def rate(folder, step, warm_s, counted_s, **setting):
    """Images a second behind the first `warm_s` seconds, and the loader's figures at the end."""
    loader = data.images(folder).shuffle(seed=1).random_resized_crop(224).flip().normalize(MEAN, STD).batch(BATCH, **setting)
    begun = time.monotonic()
    samples, since = 0, None
    for images, _ in itertools.chain.from_iterable(iter(loader) for _ in itertools.count()):
        now = time.monotonic()
        if since is None and now - begun >= warm_s:
            since, samples = now, -len(images)
        samples += len(images)
        if since is not None and now - since >= counted_s:
            stats = loader.stats()
            loader.close()
            return samples / (now - since), stats
        step()
    raise AssertionError("an endless chain ended")


def compare(folder, step, threads, ahead, counted_s, rounds):
    """({point: rate}, the tuned rate, its last figures): medians of rounds, each over all points, so that a drift meets all alike."""
    points = {point: [] for point in itertools.product(threads, ahead)}
    tuned = []
    for _ in range(rounds):
        for (number, depth), rates in points.items():
            rates.append(rate(folder, step, 0.5, counted_s, threads=number, ahead=depth)[0])
        found, stats = rate(folder, step, 3, 3 * counted_s, tune=True)
        tuned.append(found)
    return {point: statistics.median(rates) for point, rates in points.items()}, statistics.median(tuned), stats


def line(name, points, tuned, stats):
    best = max(points, key=points.get)
    worst = min(points.values())
    return "| %s | %.0f at %d x %d | %.0f | %.0f | %.1f %% | %d x %d | %d |" % (
        name, points[best], *best, worst, tuned, 100 * tuned / points[best], stats["threads"], stats["ahead"], stats["tuning"]["changes"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--ahead", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--counted", type=float, default=1.5, help="seconds of each point and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--consumers", nargs="+", choices=CONSUMERS, default=list(CONSUMERS))
    parser.add_argument("--hogs", type=int, default=0, help="processes that compute all the while")
    given = parser.parse_args()
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.hogs)]
    try:
        print("| consumer | best fixed point | worst | tuned | of the best | its setting | changes |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name in given.consumers:
            points, tuned, stats = compare(given.folder, CONSUMERS[name], given.threads, given.ahead, given.counted, given.rounds)
            print(line(name, points, tuned, stats), flush=True)
            for change in stats["tuning"]["last_changes"]:
                print("  %s" % (change,), file=sys.stderr)
            print("  %s" % ({"%dx%d" % point: round(value) for point, value in points.items()},), file=sys.stderr, flush=True)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


if __name__ == "__main__":
    main()
