"""Whether a CUDA graph is being captured, so that nothing is asked of the device.

While a capture in global mode is open, a query of an event or a stream from any
thread fails and spoils the capture (CUDA C++ Programming Guide, "Prohibited and
Unhandled Operations" of stream capture). Whoever captures has the GIL while
capture_begin() returns, so a count is enough.
"""

from .uncompiled import leave_uncompiled

CALLBACK = 7


class Captures:
    def __init__(self, native, torch):
        self.cuda = torch.cuda
        self.open = 0
        graph = getattr(torch.cuda, "CUDAGraph", None)
        if graph is not None:
            # Counted before it begins: between the two nothing of ours may be asked either.
            native.hook(graph, "capture_begin", CALLBACK, before=self._begins)
            native.hook(graph, "capture_end", CALLBACK, after=self._ended)
            leave_uncompiled(torch, self._begins, self._ended)

    def any(self):
        """True where an event must not be recorded for us, queried or waited for."""
        return self.open > 0 or self.cuda.is_current_stream_capturing()

    def _begins(self, _args, _nothing):
        self.open += 1

    def _ended(self, _args, _result):
        self.open = max(0, self.open - 1)
