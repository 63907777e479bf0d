"""What a zoo program measures of itself, with its own timers and nothing else.

It knows nothing of flatout: explicit time.perf_counter marks around the
program's own calls, cut into steps by the definitions of the project. A step
closes, after at least one update, at the next draw from a loader; without a
loader (`boundary="forward"`) at the next forward. Evaluation, building an
iterator and the `next` that ends an epoch are intervals and belong to no step.

With $ZOO_TRUTH=FILE the measurements are written there as JSON:
    {"steps": [{"s": seconds, "phases": {"data_wait": s, ..., "other": s}}],
     "intervals": {"epoch_gap": s, "eval": s}, "facts": {...}}
"""

import json
import os
from contextlib import contextmanager
from time import perf_counter

PHASES = ("data_wait", "forward", "backward", "optimizer", "checkpoint")


class Truth:
    def __init__(self, boundary="data_wait"):
        self.boundary = boundary
        self.steps = []
        self.intervals = {"epoch_gap": 0.0, "eval": 0.0}
        self.facts = {}
        self._start = None
        self._phases = {}
        self._excluded = 0.0
        self._updates = 0

    def draws(self, loader):
        """The batches of one epoch; use as `for batch in truth.draws(loader)`."""
        start = perf_counter()
        iterator = iter(loader)
        built = perf_counter() - start
        if self._start is None:
            self.facts["first_build_s"] = built  # before the first draw: start-up
        else:
            self._exclude("epoch_gap", built)
        while True:
            start = perf_counter()
            self._close_at(start)
            try:
                batch = next(iterator)
            except StopIteration:
                self._exclude("epoch_gap", perf_counter() - start)
                return
            self._add("data_wait", perf_counter() - start)
            yield batch

    @contextmanager
    def phase(self, name):
        start = perf_counter()
        if name == self.boundary:
            self._close_at(start)
        try:
            yield
        finally:
            self._add(name, perf_counter() - start)
            self._updates += name == "optimizer"

    @contextmanager
    def interval(self, name):
        """Time that belongs to no step, whatever is done in it."""
        start = perf_counter()
        try:
            yield
        finally:
            self._exclude(name, perf_counter() - start)

    def updated(self):
        """The weights changed without an optimizer: an update, whose time is `other`."""
        self._updates += 1

    def finish(self):
        """At the end of training: closes the last step and writes the file."""
        self._close_at(perf_counter())
        target = os.environ.get("ZOO_TRUTH")
        if target:
            with open(target, "w") as out:
                json.dump({"steps": self.steps, "intervals": self.intervals, "facts": self.facts}, out)

    # For programs whose loop is a framework's: the marks come from callbacks.

    def begin(self, name, now):
        if name == self.boundary:
            self._close_at(now)

    def add(self, name, seconds):
        self._add(name, seconds)
        self._updates += name == "optimizer"

    def _add(self, name, seconds):
        self._phases[name] = self._phases.get(name, 0.0) + seconds

    def _exclude(self, name, seconds):
        self.intervals[name] += seconds
        self._excluded += seconds

    def _close_at(self, now):
        if self._start is None:
            self._start = now
            self._excluded = 0.0
        if not self._updates:
            return
        length = now - self._start - self._excluded
        phases = dict(self._phases)
        phases["other"] = length - sum(phases.values())
        self.steps.append({"s": length, "phases": phases})
        self._start, self._phases, self._excluded, self._updates = now, {}, 0.0, 0
