"""The gradients' norm at updates of a trial, as the named value "flatout.grad_norm".

It is the L2 norm over all gradients that an optimizer's step() finds; `step` counts
the updates of the process from 0. Taken at the first _FIRST updates, most of which
are warm-up, and at the one with which the trial ends, so that what is measured
between them is not slowed. Behind a GradScaler it is the norm without its scale,
and an update that the scaler skips counts but says nothing. Sparse gradients,
those of a subclass with its own dispatch, several devices, and a compiled step()
say nothing.
"""

from __future__ import annotations

import math
import os

from ..torch.compiling import is_compiling_of
from ..torch.uncompiled import leave_uncompiled
from ..core.fields import fields
from ..torch.precision import grad_scaler
from .loss import Copies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native

CALLBACK = 7
NAME = "flatout.grad_norm"
_FIRST = 8
_HALF = ("torch.float16", "torch.bfloat16")  # summed in float32


def install(native: Native, torch: ModuleType) -> None:
    from torch.optim import optimizer as optim  # torch.optim hides it as an attribute

    norms = _Norms(native, torch, os.environ.get("FLATOUT_STOP_AFTER", ""))
    take = _step_hook(norms.take, is_compiling_of(torch))
    leave_uncompiled(torch, take, _Norms.take)
    optim.register_optimizer_step_pre_hook(take)
    scaler = grad_scaler(torch)
    if scaler is not None:
        native.hook(scaler, "step", CALLBACK, before=norms.scaler_begins, after=norms.scaler_ends)


def _step_hook(take: Any, is_compiling: Any) -> Callable[..., Any]:
    # torch.compile traces it where it traces the optimizer's step: see optimizer.py.
    def before_step(optimizer: Any, _args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if is_compiling():
            return None
        take(optimizer, kwargs)
        return None

    return before_step


class _Norms:
    def __init__(self, native: Native, torch: ModuleType, stop_after: Any) -> None:
        self.native = native
        self.last = int(stop_after) - 1 if stop_after.isascii() and stop_after.isdigit() else -1
        self.strided, self.float32, self.float64 = torch.strided, torch.float32, torch.float64
        self.norm, self.stack = torch.linalg.vector_norm, torch.stack
        self.item, self.detach = torch.Tensor.__base__.item, torch.Tensor.__base__.detach
        self.unseen = torch._C.DisableTorchFunction  # by modes and subclasses of the program
        self.modes = getattr(torch._C, "_len_torch_dispatch_stack", int)
        self.plain = getattr(torch.Tensor, "__torch_dispatch__", None)
        self.capturing = torch.cuda.is_current_stream_capturing
        self.copies = Copies(torch, self.item, self.say)
        self.count = 0
        self.before = 0

    def take(self, optimizer: Any, kwargs: dict[str, Any]) -> None:
        index, self.count = self.count, self.count + 1
        try:
            if self.copies.pending:
                self.copies.poll()
            if (index < _FIRST or index == self.last) and self.modes() == 0 and "grad_scaler" not in (kwargs or ()):
                with self.unseen():
                    self._read(optimizer, index)
        except Exception:  # parameters of a kind of its own: nothing is known
            pass

    def say(self, index: Any, value: Any) -> None:
        self.native.value(NAME, index, value)

    def scaler_begins(self, _args: tuple[Any, ...], _nothing: object) -> None:
        self.before = self.count

    def scaler_ends(self, _args: tuple[Any, ...], _result: object) -> None:
        if self.count == self.before:  # skipped: step() was not called
            self.count += 1

    def _read(self, optimizer: Any, index: Any) -> None:
        grads = [self.detach(p.grad) for group in fields(optimizer)["param_groups"] for p in group["params"] if p.grad is not None]
        devices = {grad.device for grad in grads}
        if len(devices) != 1 or not all(self._is_plain(grad) for grad in grads):
            return
        if next(iter(devices)).type == "cpu":
            # A scaler that leaves unscaling to the update itself says by how much.
            scale, overflow = self._number(optimizer, "grad_scale", 1.0), self._number(optimizer, "found_inf", 0.0)
            norm = math.hypot(*(self.item(self._of(grad)) for grad in grads))
            if not overflow:
                self.say(index, norm / scale)
        elif next(iter(devices)).type == "cuda" and not self.capturing():
            self._read_device(optimizer, grads, index)

    def _read_device(self, optimizer: Any, grads: Any, index: Any) -> None:
        norm = self.norm(self.stack([self._of(grad).to(self.float64) for grad in grads]))
        scale, overflow = getattr(optimizer, "grad_scale", None), getattr(optimizer, "found_inf", None)
        if scale is not None:
            norm = norm / scale
        if index == self.last:  # of the trial: nothing behind it is slowed by a wait
            if overflow is None or not self.item(overflow):
                self.say(index, self.item(norm))
        elif overflow is None:
            self.copies.begin(norm, index)

    def _number(self, optimizer: Any, name: str, otherwise: Any) -> Any:
        value = getattr(optimizer, name, None)
        return otherwise if value is None else self.item(value) if hasattr(value, "item") else value

    def _of(self, grad: Any) -> Any:
        return self.norm(grad, dtype=self.float32 if str(grad.dtype) in _HALF else None)

    def _is_plain(self, grad: Any) -> bool:
        return grad.layout == self.strided and getattr(type(grad), "__torch_dispatch__", None) is self.plain
