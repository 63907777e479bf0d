"""How long the device itself took over a copy for which the host waits, and from where it came.

A copy that does not keep the host is never measured: to wait for its end would
make it one that does. What asks nothing of a device costs none of its calls.
"""

import json

from .callsite import user_line
from .device_events import DeviceEvents

_MOST_SITES = 8
_EVENTS = 16


def _names_a_device(torch, target):
    if isinstance(target, torch.Tensor):
        return target.is_cuda
    if isinstance(target, str):
        return target.startswith("cuda")
    if isinstance(target, torch.device):
        return target.type == "cuda"
    return isinstance(target, int) and not isinstance(target, bool)


class DeviceCopies:
    def __init__(self, native, torch, captures):
        self.native = native
        self.torch = torch
        self.captures = captures
        self.events = DeviceEvents(torch.cuda, _EVENTS)
        self.sites = set()

    def before_to(self, args, keywords):
        targets = list(args[1:2])
        if keywords:
            targets += [keywords.get("device"), keywords.get("other")]
        if any(_names_a_device(self.torch, target) for target in targets):
            return self.before_cuda(args, keywords)
        return None

    def before_cuda(self, args, keywords):
        """(device, event at which the device reaches what comes next), or None: not measured."""
        cuda = self.torch.cuda
        if not cuda.is_initialized():
            return None
        if self.captures.any():
            self.captures.lose("copies")
            return None
        # A positional True may be `copy`: then nothing is measured, and the call counts as a whole.
        if any(value is True for value in args[1:]) or (keywords and keywords.get("non_blocking")):
            self._say_site(args[0])
            return None
        device = cuda.current_device()
        begin = self.events.take(device)
        if begin is None:
            return None
        begin.record()
        return device, begin

    def after(self, args, result, marked):
        """Device nanoseconds of the copy that has just ended, or None where that is not known."""
        device, begin = marked
        end = None
        try:
            if self.captures.any() or not begin.query():
                return None  # a copy to another device's stream, or one that did not keep the host
            end = self.events.take(device)
            if end is None or self.torch.cuda.current_device() != device:
                return None
            end.record()
            self._say_site(args[0])
            end.synchronize()  # torch waited for the copy itself: nothing is left in front of it
            return int(begin.elapsed_time(end) * 1e6)
        finally:
            for event in (begin, end):
                if event is not None:
                    self.events.give_back(device, event)

    def _say_site(self, source):
        at = user_line() if len(self.sites) < _MOST_SITES else None
        if at is None or at in self.sites:
            return
        self.sites.add(at)
        facts = {"phase": "h2d", "at": at, "pinned": bool(source.is_pinned()), "bytes": source.numel() * source.element_size()}
        self.native.fact("copy", json.dumps(facts))
