"""What a program of the CUDA zoo measures of itself, with its own timers and nothing else.

Explicit marks around the program's own calls, as spans of CLOCK_MONOTONIC, so that they can be laid
beside what a simulated device did at the same time. With $ZOO_MARKS=NAME.json they are written there, by each of several ranks to
NAME.rankN.json:
    {"loader": does it draw from a loader, "spans": [[name, begin_ns, end_ns], ...], "facts": {...}}

Names: data_wait, copy (to the device, and the host waits for it), copy_async (it does not), forward, backward,
optimizer (ends an update), replay (of a graph that holds an update), wait (for the device), checkpoint. To no step
belong epoch_gap, epoch_end (the `next` that ends an epoch) and eval. cut.py makes steps and phases of them.
"""

import json
import os
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns


class Marks:
    def __init__(self):
        self.spans = []
        self.facts = {}
        self.loader = False

    @contextmanager
    def span(self, name):
        begin = perf_counter_ns()
        try:
            yield
        finally:
            self.spans.append((name, begin, perf_counter_ns()))

    def draws(self, loader):
        """The batches of one epoch; use as `for batch in marks.draws(loader)`."""
        self.loader = True
        with self.span("epoch_gap"):
            iterator = iter(loader)
        while True:
            begin = perf_counter_ns()
            try:
                batch = next(iterator)
            except StopIteration:
                self.spans.append(("epoch_end", begin, perf_counter_ns()))
                return
            self.spans.append(("data_wait", begin, perf_counter_ns()))
            yield batch

    def finish(self):
        """At the end of training, after the last wait."""
        self.facts.update(end_ns=perf_counter_ns(), pid=os.getpid())
        target, rank = os.environ.get("ZOO_MARKS"), os.environ.get("RANK")
        if target:
            target = Path(target)
            with open(target if rank is None else target.with_suffix(f".rank{rank}.json"), "w") as out:
                json.dump({"loader": self.loader, "spans": self.spans, "facts": self.facts}, out)
