"""Whether a CUDA graph is being captured, so that nothing is asked of the device.

While a capture in global mode is open, a query of an event or a stream from any
thread fails and spoils the capture (CUDA C++ Programming Guide, "Prohibited and
Unhandled Operations" of stream capture). Whoever captures has the GIL while
capture_begin() returns, so a count is enough. What is not timed for it is counted.
"""

import json

from .uncompiled import leave_uncompiled

SCOPED = 10


class Captures:
    def __init__(self, native, torch):
        self.native = native
        self.cuda = torch.cuda
        self.open = 0
        self.lost = {"boundaries": 0, "copies": 0}
        self.unsaid = False
        graph = getattr(torch.cuda, "CUDAGraph", None)
        if graph is not None:
            # Counted before it begins: between the two nothing of ours may be asked either.
            native.hook(graph, "capture_begin", SCOPED, before=self._begins, after=self._began)
            native.hook(graph, "capture_end", SCOPED, before=self._ends, after=self._ended)
            leave_uncompiled(torch, self._begins, self._began, self._ends, self._ended)

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

    def _ends(self, args, keywords):
        return args, keywords, args[0]

    def _ended(self, _graph, _result, _raised):
        # One that raises ends it, too: the capture was spoiled before.
        self._closed()

    def _closed(self):
        self.open = max(0, self.open - 1)
        if self.open == 0:
            self.say()
