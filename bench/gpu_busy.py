"""Shares of time in which a GPU worked, from traces of real programs.

PyTorch traces (`*.json.gz`) in $FLATOUT_TRACES, by default `shared/traces`
beside this checkout. Each gives the union of its kernels, copies and memsets in
windows of 10 ms, repeated for ten seconds or more, so that every trace has its
say. Traces hold kernels and no telemetry: power, clocks and the like are none
of theirs.

Usage: gpu_busy.py OUT    writes the shares, one a line; prints the traces' names
"""

import gzip
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WINDOW_US = 10_000
LEAST_WINDOWS = 1000
ACTIVITY = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}


def intervals(path):
    """[(begin, end)] in µs of the device that is busiest, in order of begin."""
    with gzip.open(path) as file:
        events = json.load(file)
    by_device = {}
    for event in events["traceEvents"] if isinstance(events, dict) else events:
        if event.get("ph") == "X" and event.get("cat") in ACTIVITY:
            begin = float(event["ts"])
            device = event.get("args", {}).get("device", event.get("pid"))
            by_device.setdefault(device, []).append((begin, begin + float(event["dur"])))
    return sorted(max(by_device.values(), key=len, default=[]))


def shares(spans):
    """Busy share of each whole window from the first begin to the last end."""
    if not spans:
        return []
    start = spans[0][0]
    busy = [0.0] * int((max(end for _, end in spans) - start) // WINDOW_US)
    done = start  # up to here time is accounted for
    for begin, end in spans:
        at = max(begin, done)
        while at < end and (window := int((at - start) // WINDOW_US)) < len(busy):
            edge = min(end, start + (window + 1) * WINDOW_US)
            busy[window] += (edge - at) / WINDOW_US
            at = edge
        done = max(done, end)
    return [min(share, 1.0) for share in busy]


def table():
    """(shares of all traces one after the other, the traces' names); ([], []) without any."""
    folder = Path(os.environ.get("FLATOUT_TRACES", ROOT.parent / "shared" / "traces"))
    all_shares, names = [], []
    for path in sorted(folder.glob("*.json.gz")):
        found = shares(intervals(path))
        if len(found) < 2:  # shorter than what one sample of a driver spans
            continue
        names.append(path.name.split(".")[0])
        all_shares += found * max(1, round(LEAST_WINDOWS / len(found)))
    return all_shares, names


if __name__ == "__main__":
    shares_of_all, traces = table()
    Path(sys.argv[1]).write_text("".join(f"{share:.4f}\n" for share in shares_of_all))
    print(json.dumps(traces))
