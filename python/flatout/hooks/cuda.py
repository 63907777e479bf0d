"""CUDA: device time of the phases, blocking copies, and waits for the device.

Nothing here starts CUDA: until the program has done so, every hook passes
through. Nothing waits for the device where the program would not.
"""

import collections
import json

from .callsite import user_line

PHASE, DEVICE_CALL = 0, 8
SYNC = 7
_MOST_COPIES = 8
_EVENTS = 512


def install(native, torch):
    if not torch.version.cuda:
        return
    clock = _DeviceClock(native, torch.cuda)
    native.set_boundary(clock.boundary)
    copies = _Copies(native, torch)
    for name in ("to", "cuda", "cpu", "item", "tolist", "numpy", "__bool__", "__float__", "__int__"):
        native.hook(torch.Tensor, name, DEVICE_CALL, before=copies.before, after=copies.after)
    for holder, name in ((torch.cuda, "synchronize"), (torch.cuda.Stream, "synchronize"), (torch.cuda.Event, "synchronize")):
        native.hook(holder, name, PHASE, SYNC)


# An event, the phase that was open after it, the step as counted here, the device.
_Boundary = collections.namedtuple("_Boundary", "event phase step device")


class _DeviceClock:
    """Device time between the boundaries of phases, from events that are polled.

    At each boundary an event goes into the current stream. The time between two
    neighbours belongs to the phase that was open after the first. Events are
    asked with query() at later boundaries, never waited for; when they run out
    the chain is broken and begun anew, so that no time is ever made up.
    """

    def __init__(self, native, cuda):
        self.native = native
        self.cuda = cuda
        self.pending = collections.deque()  # _Boundary, or None where the chain is broken
        self.spare = []
        self.made = 0
        self.said_devices = False

    def boundary(self, phase):
        if not self.cuda.is_initialized():
            return
        if not self.said_devices:
            self.said_devices = True
            self._say_devices()
        self._poll()
        event = None if self.cuda.is_current_stream_capturing() else self._event()
        if event is None:
            self._break_chain()
            return
        event.record()
        self.pending.append(_Boundary(event, phase, self.native.steps_closed(), self.cuda.current_device()))

    def _event(self):
        if self.spare:
            return self.spare.pop()
        if self.made >= _EVENTS:
            return None
        self.made += 1
        return self.cuda.Event(enable_timing=True)

    def _poll(self):
        for _ in range(4):  # bounds the work of one boundary
            if len(self.pending) < 2:
                return
            first, second = self.pending[0], self.pending[1]
            if first is not None:
                if not (second or first).event.query():
                    return
                if second is not None and first.device == second.device:
                    duration_ns = int(first.event.elapsed_time(second.event) * 1e6)
                    self.native.device_phase(first.phase, duration_ns, first.step, first.device)
                self.spare.append(first.event)
            self.pending.popleft()

    def _break_chain(self):
        if self.pending and self.pending[-1] is not None:
            self.pending.append(None)

    def _say_devices(self):
        devices = []
        for index in range(self.cuda.device_count()):
            properties = self.cuda.get_device_properties(index)
            devices.append({"index": index, "name": properties.name, "memory_bytes": properties.total_memory})
        self.native.fact("devices", json.dumps({"devices": devices, "current": self.cuda.current_device()}))


class _Copies:
    """How long the device itself took over a blocking copy, and from where it came."""

    def __init__(self, native, torch):
        self.native = native
        self.torch = torch
        self.begin = self.end = None
        self.sites = set()

    def before(self, args, _nothing):
        """Marks the moment at which the device reaches what comes next."""
        cuda = self.torch.cuda
        if not cuda.is_initialized() or cuda.is_current_stream_capturing():
            return
        if self.begin is None:
            self.begin = cuda.Event(enable_timing=True)
            self.end = cuda.Event(enable_timing=True)
        self.begin.record()

    def after(self, args, result):
        """Device nanoseconds of the copy that has just ended, or None when it was not blocking."""
        if self.begin is None:
            return None
        self.end.record()
        if not self.begin.query():
            return None  # the copy did not block, so nothing is waited for here
        self._say_site(args[0], result)
        self.end.synchronize()  # nothing is left in front of it: the copy was blocking
        return int(self.begin.elapsed_time(self.end) * 1e6)

    def _say_site(self, source, result):
        at = user_line() if len(self.sites) < _MOST_COPIES else None
        if at is None or at in self.sites:
            return
        self.sites.add(at)
        facts = {"phase": "h2d", "at": at, "pinned": bool(source.is_pinned()), "bytes": source.numel() * source.element_size()}
        self.native.fact("copy", json.dumps(facts))
