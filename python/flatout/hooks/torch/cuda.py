"""CUDA: device time of the phases, blocking copies, and waits for the device.

What is asked of the device is native (src/inject/device_clock), through the driver's
library that the program has loaded: nothing here starts CUDA, and nothing waits for the
device where the program would not. Python says what is said once.
"""

from __future__ import annotations

import json

from .captures import Captures
from .copy_sites import CopySites
from .wait_sites import WaitSites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

PHASE, DEVICE_CALL, DEVICE_TO, DEVICE_CUDA = 0, 8, 13, 14
SYNC = 7
_FROM_DEVICE = ("cpu", "item", "tolist", "numpy", "__bool__", "__float__", "__int__")


def install(native: Native, torch: ModuleType) -> None:
    if not torch.version.cuda:
        return
    Captures(native, torch)
    sites, waits = CopySites(native), WaitSites(native)

    def say_devices() -> None:
        _say_devices(native, torch.cuda)

    def say_problem(what: str, why: str) -> None:
        if isinstance(why, Exception):
            why = "%s: %s" % (type(why).__name__, why)
        native.fact("problem", json.dumps({"problem": "%s is missing from here on: %s" % (what, why)}))

    started, stream = torch.cuda.is_initialized, _current_stream(torch)
    native.device_time(started, stream, torch.device, say_devices, say_problem, sites.say)
    native.wait_sites(waits.is_own, waits.say)
    native.hook(torch.Tensor, "to", DEVICE_TO)
    native.hook(torch.Tensor, "cuda", DEVICE_CUDA)
    for name in _FROM_DEVICE:
        native.hook(torch.Tensor, name, DEVICE_CALL)
    for holder, name in ((torch.cuda, "synchronize"), (torch.cuda.Stream, "synchronize"), (torch.cuda.Event, "synchronize")):
        native.hook(holder, name, PHASE, SYNC)


def _current_stream(torch: ModuleType) -> Any:
    """device -> the calling thread's current stream of it, as a number. Of C where torch has it: asked at each boundary."""
    of_c = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return of_c or (lambda device: torch.cuda.current_stream(device).cuda_stream)


def _say_devices(native: Native, cuda: Any) -> None:
    devices = []
    for index in range(cuda.device_count()):
        properties = cuda.get_device_properties(index)
        device = {"index": index, "name": properties.name, "memory_bytes": properties.total_memory}
        uuid = getattr(properties, "uuid", None)  # of releases that have it: which of the driver's devices this is
        devices.append(device if uuid is None else {**device, "uuid": str(uuid)})
    native.fact("devices", json.dumps({"devices": devices, "current": cuda.current_device()}))
