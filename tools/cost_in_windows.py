"""What `--trace windows` cost a run, by its own steps: those in a window against those around it.

Processes differ by more than windows cost, so two runs say little; within one run both kinds of steps lie side by side.
Needs when parts of the run began and what a step took in each (bench/gpu_steps.py --seconds).
"""

import datetime
import statistics

EDGE_S = 0.02  # when a window began is known to some milliseconds
SETTLE_S = 0.5  # behind its end records still come in
AROUND_S = 3  # steps so far from a window are compared with those in it


def windows_of(report, events):
    """[(begin, end)] in seconds since 1970: when all was recorded, by the run's report and its file for Perfetto."""
    began = datetime.datetime.fromisoformat(report["run"]["started"].replace("Z", "+00:00")).timestamp()
    spans = {(one["ts"], one["dur"]) for one in events if one.get("cat") == "flatout_traced"}
    return [(began + ts / 1e6, began + (ts + dur) / 1e6) for ts, dur in sorted(spans)]


def ratios(parts, windows):
    """Of each window that has parts within it and around it: how much longer a step took within."""
    found = []
    spans = [(at, at + ms * parts["steps_of_part"] / 1e3, ms) for at, ms in zip(parts["at_s"], parts["ms"])]
    for begin, end in windows:
        inside = [ms for first, last, ms in spans if first > begin + EDGE_S and last < end - EDGE_S]
        around = [
            ms for first, last, ms in spans
            if begin - AROUND_S < first and last < end + AROUND_S + SETTLE_S
            and all(last < one - EDGE_S or first > other + SETTLE_S for one, other in windows)
        ]  # fmt: skip
        if len(inside) >= 3 and len(around) >= 10:
            found.append(statistics.median(inside) / statistics.median(around) - 1)
    return found


def lines(parts, windows):
    """For a page: the cost within windows, and of all of the run."""
    spent = sum(ms * parts["steps_of_part"] for ms in parts["ms"]) / 1e3
    begin, end = parts["at_s"][0], parts["at_s"][-1]
    traced = sum(max(0, min(end, until) - max(begin, since)) for since, until in windows)
    found = ratios(parts, windows)
    said = [f"{len(windows)} windows, {traced:.2f} s of the {spent:.1f} s of steps; a step takes {statistics.median(parts['ms']):.4f} ms."]
    if not found:
        return [*said, "No window has enough steps in it and around it to compare."]
    middle = statistics.median(found)
    said.append(f"In a window it takes {middle:+.2%} longer (median of {len(found)} windows; {min(found):+.2%} to {max(found):+.2%}), so that windows cost {middle * traced / spent:+.3%} of the steps.")
    return said
