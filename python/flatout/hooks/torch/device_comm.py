"""comm on CUDA: what the device spends on communication, since the host does not wait for it.

With NCCL the wait on a Work lets the current stream wait for the collective's, and a
collective that is not asynchronous runs on the current stream itself (from PyTorch 2.8 on).
Both lie between the boundaries of the phase `comm`, whose events the device's clock places
into the current stream: the time between them is what the step's own work stood still.

What DistributedDataParallel does inside backward no Python sees. It measures some of its
iterations itself, with events of its own (the first ten, then each 100th); that is said.
"""

from __future__ import annotations

import contextlib
import json
import threading
import weakref

from ..core.fields import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native
    from ..core.occasions import Occasions

CALLBACK, SCOPED = 7, 10
COMM = 6
_MEASURED_FIRST = 10  # iterations, one after the other
_COLLECTIVES = (
    "_allgather_base", "_reduce_scatter_base", "all_gather_single", "all_gather_single_coalesced", "all_to_all_single",
    "allgather", "allgather_coalesced", "allgather_into_tensor_coalesced", "allreduce", "allreduce_coalesced", "alltoall",
    "alltoall_base", "broadcast", "gather", "recv", "reduce", "reduce_scatter", "reduce_scatter_single",
    "reduce_scatter_single_coalesced", "reduce_scatter_tensor_coalesced", "scatter", "send",
)  # fmt: skip


def install(native: Native, torch: ModuleType, process_group: Any, occasions: Occasions) -> None:
    unseen = getattr(torch._C, "DisableTorchFunction", contextlib.nullcontext)  # by modes and subclasses of the program

    def enter(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any, Any] | None:
        with unseen():
            if not _on_device(torch, args[1:]):
                return None
        native.begin(COMM)
        return args, keywords, COMM

    def leave(phase: Any, _result: object, _raised: BaseException | None) -> None:
        native.end(phase)

    for name in _COLLECTIVES:
        if hasattr(process_group, name):
            native.hook(process_group, name, SCOPED, before=enter, after=leave)
    times = DdpTimes(native, occasions.sooner)
    occasions.listen(times.look)
    native.hook(threading, "_shutdown", CALLBACK, before=times.last)


def _on_device(torch: ModuleType, values: Any) -> Any:
    """Whether the first tensor among them, or in a list among them, lies on CUDA."""
    for value in values:
        while isinstance(value, (list, tuple)) and value:
            value = value[0]
        if isinstance(value, torch.Tensor):
            return value.is_cuda
    return False


class DdpTimes:
    """The latest iteration that DistributedDataParallel has measured; asks no device.

    A run may be shorter than 256 forwards, and at its end the model is gone where `main` has returned.
    One iteration says little: several of the first are looked at."""

    def __init__(self, native: Native, sooner: Callable[[int], None]) -> None:
        self.native = native
        self.sooner = sooner
        self.wrapped: Any = lambda: None
        self.said = None

    def look(self, module: Any, device: Any) -> None:
        if device != "cuda":
            return
        found = _data_parallel(module)
        if found is not None:
            self.wrapped = weakref.ref(found)
            self._say(found)
            if self.said is None or self.said < _MEASURED_FIRST:
                self.sooner(2)

    def last(self, _args: tuple[Any, ...], _nothing: object) -> None:
        found = self.wrapped()
        if found is not None:
            self._say(found)

    def _say(self, wrapped: Any) -> None:
        figures = fields(wrapped)["logger"]._get_ddp_logging_data().ints_map
        comm_ns, overlap_ns = figures.get("backward_comm_time"), figures.get("backward_compute_comm_overlap_time")
        iteration = figures.get("iteration")
        if comm_ns is None or overlap_ns is None or iteration == self.said:
            return
        self.said = iteration
        facts = {"iteration": iteration, "comm_ns": comm_ns, "waited_ns": max(0, comm_ns - overlap_ns)}
        self.native.fact("ddp", json.dumps(facts))


def _data_parallel(module: Any) -> Any:
    for _ in range(8):
        if module is None or hasattr(fields(module).get("logger"), "_get_ddp_logging_data"):
            return module
        parts = fields(module).get("_modules", {})
        module = parts.get("_orig_mod")
    return None
