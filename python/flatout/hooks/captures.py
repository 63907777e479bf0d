"""Whether a CUDA graph is being captured, so that nothing is asked of the device.

While a capture in global mode is open, a query of an event or a stream from any
thread fails and spoils the capture (CUDA C++ Programming Guide, "Prohibited and
Unhandled Operations" of stream capture). Whoever captures has the GIL while
capture_begin() returns, so a count is enough. What is not timed for it is counted.

A graph whose capture held an optimizer's update is a step's work: each replay of it is an
update. Graphs of a forward or a backward alone (make_graphed_callables, torch.compile's) are
not: their replays stay with the phase that is open around them.
"""

import json

from .fields import ByIdentity
from .uncompiled import leave_uncompiled

SCOPED, REPLAY = 10, 12


class Captures:
    def __init__(self, native, torch):
        self.native = native
        self.cuda = torch.cuda
        self.open = 0
        self.lost = {"boundaries": 0, "copies": 0}
        self.unsaid = False
        self.with_updates = ByIdentity()
        graph = getattr(torch.cuda, "CUDAGraph", None)
        if graph is not None:
            # Counted before it begins: between the two nothing of ours may be asked either.
            native.hook(graph, "capture_begin", SCOPED, before=self._begins, after=self._began)
            native.hook(graph, "capture_end", SCOPED, before=self._ends, after=self._ended)
            native.hook(graph, "replay", REPLAY, before=self._holds_an_update)
            leave_uncompiled(torch, self._begins, self._began, self._ends, self._ended, self._holds_an_update)

    def any(self):
        """True where an event must not be recorded for us, queried or waited for."""
        return self.open > 0 or self.cuda.is_current_stream_capturing()

    def lose(self, what):
        """One of `what` ("boundaries" of phases, "copies") is not timed, because of a capture."""
        self.lost[what] += 1
        self.unsaid = True

    def say(self):
        """Where no capture is open: what has been lost so far."""
        if self.unsaid:
            self.unsaid = False
            self.native.fact("captures", json.dumps(self.lost))

    def _begins(self, args, keywords):
        self.open += 1
        return args, keywords, args[0]

    def _began(self, _graph, _result, raised):
        if raised:  # there is no capture, and none that will end
            self._closed()
        else:
            self.native.begin_capture()

    def _ends(self, args, keywords):
        return args, keywords, args[0]

    def _ended(self, graph, _result, raised):
        # One that raises ends it, too: the capture was spoiled before.
        self.with_updates.set(graph, self.native.end_capture() > 0 and not raised)
        self._closed()

    def _holds_an_update(self, args, _nothing):
        return self.with_updates.get(args[0], False)

    def _closed(self):
        self.open = max(0, self.open - 1)
        if self.open == 0:
            self.say()
