"""torch.profiler: a kernel trace of ours ends before it begins.

CUPTI serves one client a process. Were ours still on, the profiler would get none of its records
(src/inject/cupti), so the agent is asked to yield, and has, before the profiler goes on.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
LIBRARY = "libflatout_inject.so"
_STARTS = ("_prepare_profiler", "_enable_profiler")


def install(native: Native, torch: ModuleType) -> None:
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    if os.path.basename(path) != LIBRARY or os.environ.get("FLATOUT_TRACE") not in ("kernels", "windows"):
        return
    yields = _Yields(path)
    for holder in (torch.autograd.profiler, torch.autograd):
        for name in _STARTS:
            if hasattr(holder, name):
                native.hook(holder, name, CALLBACK, before=yields.before)


class _Yields:
    def __init__(self, path: str) -> None:
        self.path = path
        self.pid = 0  # that has yielded

    def before(self, args: tuple[Any, ...], _nothing: object) -> None:
        try:
            if self.pid != os.getpid() and _looks_at_devices(args):
                self.pid = os.getpid()
                import ctypes

                # The one that CUDA has loaded, or is going to load.
                ctypes.CDLL(self.path).flatout_trace_yield(b"torch.profiler")
        except Exception:
            pass  # the profiler is the program's own


def _looks_at_devices(args: tuple[Any, ...]) -> bool:
    """Of the activities that are asked for: those of the CPU need no CUPTI."""
    activities = args[1] if len(args) > 1 else None
    return activities is None or any(getattr(one, "name", "") != "CPU" for one in activities)
