"""How often comparisons in blocks keep what does nothing, and whether their intervals hold the truth, on a real process.

    null_blocks.py [--comparisons 100] [--gain 1.0]

A program that runs is driven as `flatout tune` drives it (docs/decisions/0082-blocks-inside-one-process.md): pairs of blocks in
random order, looks and errors as in src/apply/statistics/paired_blocks.h, which are computed here anew. Its setting
makes its steps shorter by --gain, and else changes nothing: what its update takes is filled up to the same time.
"""

import argparse
import math
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("", "knobs", "inject")]
from driven import MEASURED, Driven  # noqa: E402

LOOKS = (4, 6, 9, 13, 18, 25, 35, 48)
LEAST_GAIN, FALSE_KEEP, MISSED, HOPELESS = math.log1p(0.01), 0.05 / 8, 0.05, 0.05
SETTLE, STEPS, LEAST_NS = 3, 6, 250_000_000
KNOB, VALUE = "optimizer.fused", True


def tail(t, degrees):
    """P(T > t): Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan2(t, math.sqrt(degrees))
    cosine = math.cos(angle)
    term, total = (cosine, cosine) if degrees % 2 else (1.0, 1.0)
    for i in range(3 if degrees % 2 else 2, degrees, 2):
        term *= cosine * cosine * (i - 1) / i
        total += term
    if degrees % 2:
        inside = 2 / math.pi * (angle + (math.sin(angle) * total if degrees > 1 else 0))
    else:
        inside = math.sin(angle) * total
    return (1 - inside) / 2


def quantile(error, degrees):
    low, high = 0.0, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle, degrees) > error else (low, middle)
    return high


def compared(program, shuffled):
    """(kept, ratio, lo, hi, pairs, seconds) of one comparison."""
    began, ratios = time.monotonic(), []
    while True:
        sides = [{}, {KNOB: VALUE}]
        if shuffled.random() < 0.5:
            sides.reverse()
        times = {}
        for knobs in sides:
            block = program.block(knobs, steps=STEPS, settle=SETTLE, least_ns=LEAST_NS)
            assert block.end == MEASURED, block.end
            times[bool(knobs)] = block.step_s
        ratios.append(math.log(times[False] / times[True]))
        if len(ratios) not in LOOKS:
            continue
        n = len(ratios)
        mean = sum(ratios) / n
        error = max(1e-6, math.sqrt(sum((one - mean) ** 2 for one in ratios) / (n - 1) / n))
        reach = quantile(0.025 / len(LOOKS), n - 1) * error
        kept = mean - quantile(FALSE_KEEP / len(LOOKS), n - 1) * error > LEAST_GAIN
        dropped = mean + quantile(MISSED / len(LOOKS), n - 1) * error < LEAST_GAIN
        if kept or dropped or n == LOOKS[-1] or hopeless(mean, error, n):
            return kept, math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), n, time.monotonic() - began


def hopeless(mean, error, n):
    last = error * math.sqrt(n / LOOKS[-1])
    needed = LEAST_GAIN + quantile(FALSE_KEEP / len(LOOKS), LOOKS[-1] - 1) * last
    return math.erfc((needed - mean) / math.sqrt(error**2 - last**2) / math.sqrt(2)) / 2 < HOPELESS


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--comparisons", type=int, default=100)
    options.add_argument("--gain", type=float, default=1.0)
    options = options.parse_args()
    shuffled, rows = random.Random(1), []
    with tempfile.TemporaryDirectory(prefix="null-blocks-") as folder:
        with Driven(pathlib.Path(folder) / "driven", ROOT / "tests/knobs/programs/paced.py", options.gain) as program:
            program.block({KNOB: VALUE}, steps=1)
            for _ in range(options.comparisons):
                rows.append(compared(program, shuffled))
                print("%s x%.4f [%.4f, %.4f] %d pairs, %.1f s" % ("kept" if rows[-1][0] else "not kept", *rows[-1][1:]), flush=True)
    held = sum(lo <= options.gain <= hi for _kept, _ratio, lo, hi, *_rest in rows)
    pairs, seconds = (sorted(row[at] for row in rows)[len(rows) // 2] for at in (4, 5))
    print("%d comparisons of x%g: %d kept, %d intervals hold it; median %d pairs, %.1f s"
          % (len(rows), options.gain, sum(row[0] for row in rows), held, pairs, seconds))


if __name__ == "__main__":
    main()
