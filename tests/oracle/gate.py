"""How often the loss gate refuses settings that spoil the training, and passes those that do not.

    gate.py [--rounds 4] [--only bf16-frozen]

Each program of tests/tune/programs/harmed.py is tuned by one knob that makes it faster for sure, with seeds and widths of
its own in each round. A harm has to be refused because of the losses or the samples; a healthy program's knob has to be kept.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).resolve().parent)]

import point  # noqa: E402
import tuned as tunes  # noqa: E402

KNOBS = {"bf16": "precision.bf16", "fused": "optimizer.fused", "channels_last": "layout.channels_last", "workers": "dataloader.num_workers"}
HARMFUL = [("bf16", "overflow"), ("fused", "frozen"), ("workers", "shuffled"), ("workers", "dropped"), ("workers", "half")]
HEALTHY = [(setting, None) for setting in KNOBS]
WIDTHS = (16, 24, 32, 48)


def name(setting, harm):
    return f"{setting}-{harm or 'healthy'}"


def tuned(setting, harm, number, budget="60s"):
    arguments = ["--faster-with", setting, "--seed", str(number), "--wide", str(WIDTHS[number % len(WIDTHS)]), *(["--harm", harm] if harm else [])]
    program = {"folder": "tests/tune/programs", "command": ["harmed.py", *arguments], "env": {"OMP_NUM_THREADS": "1"}}
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="gate.") as folder:
        folder = Path(folder)
        words = point.prepare(program, folder / "program")
        found = tunes.tune(program, words, folder / "program", folder / "scratch", ["--budget", budget, "--knobs", KNOBS[setting]])
    rows = found.document["trials"] if found.document else []
    return found, [row for row in rows if row["knob"] == KNOBS[setting]]


def right(harm, rows):
    """A healthy setting is kept in one of its values; a harmful one was faster in all it was tried with, and never kept."""
    if harm:
        return bool(rows) and all(not row["kept"] and row["loss_gate"] == "failed" for row in rows if row.get("speedup", 0) > 1.05)
    return any(row["kept"] for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    cases = [case for case in HARMFUL + HEALTHY if not options.only or name(*case) in options.only]
    counts = {"refused": [0, 0], "passed": [0, 0]}
    for number in range(options.rounds):
        for setting, harm in cases:
            found, rows = tuned(setting, harm, number)
            good = right(harm, rows)
            count = counts["refused" if harm else "passed"]
            count[0] += good
            count[1] += 1
            said = [(row["to"], row.get("speedup"), row["loss_gate"], row.get("reason")) for row in rows]
            print(json.dumps({"case": name(setting, harm), "round": number, "right": good, "seconds": round(found.seconds), "rows": said}), flush=True)
            if not good:
                print(found.output, flush=True)
    for what, (good, all_of_them) in counts.items():
        print(f"{what}: {good} of {all_of_them}")


if __name__ == "__main__":
    main()
