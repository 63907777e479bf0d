"""CUDA: device time of the phases, blocking copies, and waits for the device.

Nothing here starts CUDA: until the program has done so, every hook passes
through. Nothing waits for the device where the program would not.
"""

import json

from .captures import Captures
from .device_clock import DeviceClock
from .device_copies import DeviceCopies
from .uncompiled import leave_uncompiled

PHASE, DEVICE_CALL = 0, 8
SYNC = 7
_FROM_DEVICE = ("cpu", "item", "tolist", "numpy", "__bool__", "__float__", "__int__")


def install(native, torch):
    if not torch.version.cuda:
        return
    captures = Captures(native, torch)
    clock = DeviceClock(native, torch.cuda, captures)
    copies = DeviceCopies(native, torch, captures)
    boundary = _until_it_fails(native, "the device time of the phases", clock.boundary)
    after = _until_it_fails(native, "the device time of copies", copies.after)
    native.set_boundary(boundary)
    for name, asked in (("to", copies.before_to), ("cuda", copies.before_cuda)):
        before = _until_it_fails(native, "the device time of copies", asked)
        native.hook(torch.Tensor, name, DEVICE_CALL, before=before, after=after)
        leave_uncompiled(torch, before, asked)
    for name in _FROM_DEVICE:
        native.hook(torch.Tensor, name, DEVICE_CALL)
    for holder, name in ((torch.cuda, "synchronize"), (torch.cuda.Stream, "synchronize"), (torch.cuda.Event, "synchronize")):
        native.hook(holder, name, PHASE, SYNC)
    leave_uncompiled(torch, boundary, after, clock.boundary, copies.after)


def _until_it_fails(native, what, hook):
    """`hook`, which is switched off, with one line, at its first error."""
    failed = []

    def called(*args):
        if failed:
            return None
        try:
            return hook(*args)
        except Exception as error:
            failed.append(True)
            problem = "%s is missing from here on: %s: %s" % (what, type(error).__name__, error)
            native.fact("problem", json.dumps({"problem": problem}))
            raise  # the native module drops it, unless a signal of the program's brought it

    return called
