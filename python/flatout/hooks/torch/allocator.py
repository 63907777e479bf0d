"""What PyTorch's caching allocator has of the devices, at the ends of steps.

Read natively (src/inject/allocator_samples.h) with the one call that all of torch.cuda's
functions for memory go through, `torch._C._cuda_memoryStats`: figures that the allocator
keeps on the host, of releases since 1.4. Peaks are the program's, and nobody resets them.
Another allocator is left alone: one that is plugged in has no figures and raises, and
cudaMallocAsync's would ask the driver.
"""

from __future__ import annotations

import json
import threading


TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .._native import Native

CALLBACK = 7


def install(native: Native, torch: ModuleType) -> None:
    memory_stats = getattr(torch._C, "_cuda_memoryStats", None)
    if not torch.version.cuda or memory_stats is None:
        return
    backend = getattr(torch._C, "_cuda_getAllocatorBackend", lambda: "native")  # of releases from 2.0 on

    def devices() -> int:
        return int(torch.cuda.device_count()) if backend() == "native" else 0

    def say_problem(why: object) -> None:
        if isinstance(why, Exception):
            why = "%s: %s" % (type(why).__name__, why)
        native.fact("problem", json.dumps({"problem": "the memory of PyTorch's allocator is missing from here on: %s" % why}))

    native.allocator(torch.cuda.is_initialized, devices, memory_stats, say_problem)
    # The last step is closed by nothing, and a short program has had one sample.
    native.hook(threading, "_shutdown", CALLBACK, before=lambda _args, _nothing: native.sample_allocator())
