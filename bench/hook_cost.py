"""Cost of a hook event from Python: what each hooked call takes longer under flatout.

Interleaves processes with and without flatout that call each hooked thing as
often as they can (hook_calls.py). A call makes two phase events, its begin and
its end; a draw without workers makes a batch record too. Budget: 3 us an event.

Usage: hook_cost.py [--pairs 7]
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import harness  # noqa: E402

PROGRAM = Path(__file__).resolve().parent / "hook_calls.py"


def calls(folder, observed):
    target = folder / "calls.json"
    command = [harness.PYTHON, PROGRAM, target]
    if observed:
        done = harness.run_observed(command, folder / "flatout")
    else:
        done = harness.run_plain(command)
    if done.code != 0:
        raise RuntimeError(f"exit {done.code}: {done.err.decode()}")
    if observed and done.report["overhead"]["events"] < 10_000:
        raise RuntimeError(f"hooks made no events: {done.report['overhead']}, {done.said}")
    dropped = done.report["overhead"]["dropped"] if observed else 0
    return json.loads(target.read_text()), dropped


def measure(pairs):
    differences, plain_ns, dropped, events = {}, {}, 0, {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        for pair in range(pairs):
            measured = {}
            for observed in (pair % 2 == 0, pair % 2 == 1):
                measured[observed], lost = calls(folder, observed)
                dropped += lost
            for case, plain in measured[False].items():
                extra = measured[True][case]["ns"] - plain["ns"]
                differences.setdefault(case, []).append(extra / plain["events"])
                plain_ns.setdefault(case, []).append(plain["ns"])
                events[case] = plain["events"]
            print(f"pair {pair + 1}/{pairs}", file=sys.stderr, flush=True)
    cases = {
        case: {
            "event_ns": statistics.median(values),
            "least_ns": min(values),
            "most_ns": max(values),
            "plain_call_ns": statistics.median(plain_ns[case]),
            "events_a_call": events[case],
        }
        for case, values in differences.items()
    }
    return {"cases": cases, "pairs": pairs, "dropped": dropped}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    print(json.dumps(measure(parser.parse_args().pairs), indent=1))


if __name__ == "__main__":
    main()
