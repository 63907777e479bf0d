"""How much memory a trial needs at most, as the fact "memory".

Said after the first, second, fourth, ... update and after each from the one on with
which the trial ends: peaks only grow. Host: VmHWM of this process; its data segment
(VmData) reports by how much what it has mapped exceeds what it holds. Device: what
torch's allocator had handed out and reserved at most, and what it could get at all,
which is what is free and what it holds. Workers are processes of their own, which the
recorder looks at.
"""

from __future__ import annotations

import json
import os

from ..torch.compiling import is_compiling_of
from ..torch.uncompiled import leave_uncompiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native

_MOST = 64  # facts


def install(native: Native, torch: ModuleType) -> None:
    from torch.optim import optimizer as optim

    peaks = _Peaks(native, torch, int(os.environ.get("FLATOUT_STOP_AFTER") or 0))
    updated = _hook(peaks.updated, is_compiling_of(torch))
    leave_uncompiled(torch, updated, _Peaks.updated)
    optim.register_optimizer_step_post_hook(updated)


def _hook(updated: Any, is_compiling: Any) -> Callable[..., Any]:
    # torch.compile traces it where it traces the optimizer's step: see ../torch/optimizer.py.
    def after_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not is_compiling():
            updated()

    return after_step


class _Peaks:
    def __init__(self, native: Native, torch: ModuleType, last: Any) -> None:
        self.native = native
        self.torch = torch
        self.last = last
        self.updates = 0
        self.facts = 0

    def updated(self) -> None:
        self.updates += 1
        due = self.updates & (self.updates - 1) == 0 or 0 < self.last <= self.updates
        if not due or self.facts >= _MOST:
            return
        self.facts += 1
        try:
            self.native.fact("memory", json.dumps({**_host(), **self._device()}))
        except Exception:  # torch calls this: an error would be the program's
            self.facts = _MOST

    def _device(self) -> dict[str, Any]:
        cuda = self.torch.cuda
        if not self.torch.version.cuda or not cuda.is_initialized() or cuda.is_current_stream_capturing():
            return {}
        free, _total = cuda.mem_get_info()
        return {
            "device_peak_bytes": cuda.max_memory_allocated(),
            "device_reserved_peak_bytes": cuda.max_memory_reserved(),
            "device_limit_bytes": free + cuda.memory_reserved(),
        }


def _host() -> Any:
    facts = {}
    with open("/proc/self/status") as status:
        for line in status:
            name, _, rest = line.partition(":")
            key = {"VmHWM": "host_peak_bytes", "VmData": "host_data_bytes"}.get(name)
            if key is not None:
                facts[key] = int(rest.split()[0]) * 1024
    return facts
