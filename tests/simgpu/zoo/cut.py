"""Steps and phases of a program of the CUDA zoo, from its own marks and what the simulated device did.

By the definitions of docs/glossary.md: a step closes, after at least one update, at the next draw from the
training loader, without one at the next forward or replay. The innermost open span owns the time. What the
program's timers cannot know, the simulator does: when the device came to a copy for which the host waited (before
that it is sync, from there to the end of the call h2d), and waits inside PyTorch's own functions (a copy to the
host, such as GradScaler's look at its flag).
"""

import bisect
import json
from dataclasses import dataclass, field

INTERVALS = ("epoch_gap", "epoch_end", "eval")
UPDATES = ("optimizer", "replay")
PHASE_OF = {"wait": "sync", **dict.fromkeys(("replay", "capture", "copy", "copy_async"), "other")}  # else its name
WAITS_KNOWN = ("wait", "checkpoint", *INTERVALS)  # what is inside needs no look at the device


@dataclass
class Step:
    begin_ns: int
    end_ns: int
    own: list = field(default_factory=list)  # [(begin_ns, end_ns)], without the intervals
    phases: dict = field(default_factory=dict)  # name -> ns

    @property
    def own_ns(self):
        return sum(end - begin for begin, end in self.own)


def steps_of(marks_file, operations):
    """Operations: of the program's own process, in order of their start."""
    marks = json.loads(marks_file.read_text())
    spans = sorted((tuple(span) for span in marks["spans"]), key=lambda span: (span[1], -span[2]))
    edges = boundaries(spans, marks["loader"], marks["facts"]["end_ns"])
    steps = [Step(begin, end) for begin, end in zip(edges, edges[1:])]
    fill(steps, segments(spans, edges[0], edges[-1]), Waits(operations))
    return steps


def intervals_of(marks_file):
    """Seconds of each kind, all of them."""
    sums = {}
    for name, begin, end in json.loads(marks_file.read_text())["spans"]:
        sums[name] = sums.get(name, 0.0) + (end - begin) / 1e9
    return {name: sums.get(name, 0.0) for name in ("epoch_gap", "epoch_end", "eval")}


def boundaries(spans, loader, end_ns):
    """Where steps begin, and where the last one ends."""
    begins = ("data_wait", "epoch_end") if loader else ("forward", "replay")
    evals = [(begin, end) for name, begin, end in spans if name == "eval"]
    marks = [(begin, True) for name, begin, _ in spans if name in begins and not inside(evals, begin)]
    marks += [(end, False) for name, _, end in spans if name in UPDATES]
    edges, updates = [], 0
    for at, may_begin in sorted(marks):  # where both fall together, the update was first
        if not may_begin:
            updates += 1
        elif not edges or updates:
            edges.append(at)
            updates = 0
    return edges + ([end_ns] if updates else [])


def inside(intervals, at):
    return any(begin <= at < end for begin, end in intervals)


def segments(spans, begin_ns, end_ns):
    """(name, begin, end): each piece of time with the innermost span that is open, "other" where none is."""
    pieces, open_spans, at = [], [], begin_ns

    def until(to):
        nonlocal at
        if to > at:
            pieces.append((open_spans[-1][0] if open_spans else "other", at, to))
            at = to

    for span in spans:
        while open_spans and open_spans[-1][2] <= span[1]:
            until(min(open_spans[-1][2], end_ns))
            open_spans.pop()
        until(min(span[1], end_ns))
        open_spans.append(span)
    while open_spans:
        until(min(open_spans[-1][2], end_ns))
        open_spans.pop()
    until(end_ns)
    return pieces


class Waits:
    """When the host stood still for copies, by the simulator."""

    def __init__(self, operations):
        kinds = ("copy_to_device", "copy_to_host")
        self.copies = sorted((one for one in operations if one.kind in kinds), key=lambda one: one.enqueued_ns)
        self.enqueued = [one.enqueued_ns for one in self.copies]
        self.launches = sorted(one.enqueued_ns for one in operations)

    def parts(self, name, begin, end):
        """{phase: ns} that this segment gives up."""
        if name == "copy":
            return self.of_copy(begin, end)
        return {} if name in WAITS_KNOWN else {"sync": self.to_host_ns(begin, end)}

    def made(self, kind, begin, end):
        first, last = bisect.bisect_left(self.enqueued, begin), bisect.bisect_left(self.enqueued, end)
        return [one for one in self.copies[first:last] if one.kind == kind]

    def of_copy(self, begin, end):
        """One blocking call: it waits until the device comes to the copy, and the rest of it is the copy."""
        made = self.made("copy_to_device", begin, end)
        if not made:
            return {}
        start = min(max(made[0].start_ns, begin), end)
        return {"sync": start - made[0].enqueued_ns, "h2d": end - start}

    def to_host_ns(self, begin, end):
        """The host goes on at its next launch at the latest: on a busy machine it wakes late."""
        total, at = 0, begin
        for one in self.made("copy_to_host", begin, end):
            after = bisect.bisect_left(self.launches, one.end_ns)
            goes_on = self.launches[after] if after < len(self.launches) else one.end_ns
            done = min(max(goes_on, at), end)
            total += max(0, done - max(at, one.enqueued_ns))
            at = max(at, done)
        return total


def fill(steps, pieces, waits):
    begins = [step.begin_ns for step in steps]
    for name, begin, end in pieces:
        while begin < end:
            number = bisect.bisect_right(begins, begin) - 1
            step = steps[number]
            to = min(end, step.end_ns)
            if name not in INTERVALS:
                step.own.append((begin, to))
                given = waits.parts(name, begin, to)
                phase = PHASE_OF.get(name, name)
                given[phase] = given.get(phase, 0) + (to - begin) - sum(given.values())
                for one, ns in given.items():
                    step.phases[one] = step.phases.get(one, 0) + ns
            begin = to


def shares(steps):
    total = sum(step.own_ns for step in steps)
    names = {name for step in steps for name in step.phases}
    return {name: sum(step.phases.get(name, 0) for step in steps) / total for name in names}
