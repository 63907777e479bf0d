"""Device time between the boundaries of phases, from events that are polled.

At each boundary an event goes into the current stream. The time between two
neighbours belongs to the phase that was open after the first. Events are
asked with query() at later boundaries, never waited for; when they run out
the chain is broken and begun anew, so that no time is ever made up.
"""

import collections
import json

from .device_events import DeviceEvents

_EVENTS = 512

# An event, the phase that was open after it, the step as counted here, the device.
_Boundary = collections.namedtuple("_Boundary", "event phase step device")


class DeviceClock:
    def __init__(self, native, cuda, captures):
        self.native = native
        self.cuda = cuda
        self.captures = captures
        self.pending = collections.deque()  # _Boundary, or None where the chain is broken
        self.events = DeviceEvents(cuda, _EVENTS)
        self.said_devices = False

    def boundary(self, phase):
        if not self.cuda.is_initialized():
            return
        if self.captures.any():
            self.captures.lose("boundaries")
            self._break_chain()
            return
        self.captures.say()
        if not self.said_devices:
            self.said_devices = True
            self._say_devices()
        self._poll()
        device = self.cuda.current_device()
        event = self.events.take(device)
        if event is None:
            self._break_chain()
            return
        event.record()
        self.pending.append(_Boundary(event, phase, self.native.steps_closed(), device))

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
                self.events.give_back(first.device, first.event)
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
