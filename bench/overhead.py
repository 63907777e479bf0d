"""What `flatout run` costs a step of about 10 ms of fixed work.

Two estimates, both as a ratio (1 = free) with a 95 % interval:
  between  pairs of processes with and without flatout, interleaved and in
           alternating order: everything is in it, recorder included
  within   one observed process that takes its hooks out and puts them back every
           few steps: the hooks alone, and so free of the differences between processes

The interval is of the median over pairs, from 10 000 bootstrap resamples.
Prints JSON. Run it on a quiet machine.

Usage: overhead.py [--pairs 20] [--steps 300] [--step-ms 10]
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import harness  # noqa: E402

PROGRAM = Path(__file__).resolve().parent / "fixed_step.py"
TOGGLE = 10  # steps with the hooks in, then as many without


def steps(rounds, count, folder, observed, *more):
    target = folder / "steps.json"
    command = [harness.PYTHON, PROGRAM, rounds, count, target, *more]
    if observed:
        done = harness.run_observed(command, folder / "flatout")
    else:
        done = harness.run_plain(command)
    if done.code != 0:
        raise RuntimeError(f"exit {done.code}: {done.err.decode()}")
    return json.loads(target.read_text()), done


def rounds_for(step_ms, folder):
    """Loop rounds that make a step so long on this machine."""
    rounds = 20_000
    for _ in range(3):
        median = statistics.median(steps(rounds, 60, folder, False)[0]["step_s"])
        rounds = max(100, round(rounds * step_ms / 1e3 / median))
    return rounds


def interval(ratios, resamples=10_000):
    """Median and its 95 % bootstrap interval."""
    draws = random.Random(7)
    medians = sorted(
        statistics.median(draws.choices(ratios, k=len(ratios))) for _ in range(resamples)
    )
    lo, hi = medians[int(0.025 * resamples)], medians[int(0.975 * resamples)]
    return {"median": statistics.median(ratios), "lo": lo, "hi": hi, "pairs": len(ratios)}


def between(rounds, count, pairs, folder):
    ratios, plain_ms, recorder = [], [], []
    for pair in range(pairs):
        medians = {}
        for observed in (pair % 2 == 0, pair % 2 == 1):
            measured, done = steps(rounds, count, folder, observed)
            medians[observed] = statistics.median(measured["step_s"])
            if observed:
                seen = done.report["steps"]["count"]
                if seen != count + 21:
                    raise RuntimeError(f"flatout saw {seen} of {count + 21} steps: nothing was measured")
                recorder.append(done.report["overhead"]["recorder_cpu_share"])
        ratios.append(medians[True] / medians[False])
        plain_ms.append(medians[False] * 1e3)
        print(f"pair {pair + 1}/{pairs}: x{ratios[-1]:.4f}", file=sys.stderr, flush=True)
    return {
        **interval(ratios),
        "plain_step_ms": statistics.median(plain_ms),
        "plain_step_ms_least": min(plain_ms),
        "plain_step_ms_most": max(plain_ms),
        "recorder_cpu_share": statistics.median(recorder),
    }


def within(rounds, count, folder):
    measured, _ = steps(rounds, count, folder, True, TOGGLE)
    groups = {True: [], False: []}
    for start in range(0, len(measured["step_s"]) - TOGGLE + 1, TOGGLE):
        chunk = measured["step_s"][start : start + TOGGLE]
        groups[measured["hooked"][start]].append(statistics.median(chunk))
    ratios = [a / b for a, b in zip(groups[True], groups[False])]
    return interval(ratios)


def measure(pairs, count, step_ms):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        rounds = rounds_for(step_ms, folder)
        return {
            "rounds": rounds,
            "steps": count,
            "between": between(rounds, count, pairs, folder),
            "within": within(rounds, count * 4, folder),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--step-ms", type=float, default=10)
    args = parser.parse_args()
    print(json.dumps(measure(args.pairs, args.steps, args.step_ms), indent=1))


if __name__ == "__main__":
    main()
