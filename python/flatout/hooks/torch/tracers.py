"""Functions by which the native module asks PyTorch before it calls any Python of ours: who compiles, traces or watches just now.

All of it is private to torch, so that each is taken where a release has it (src/inject/tracers.h).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native


def set_tracers(native: Native, torch: ModuleType) -> None:
    c, transforms = torch._C, _of(torch._C, "_functorch")
    native.set_tracers(
        _of(_of(_of(c, "_dynamo"), "eval_frame"), "set_eval_frame"),
        _of(c, "DisableTorchFunction"),
        _of(c, "_len_torch_dispatch_stack"),
        _of(c, "_get_dispatch_stack_at"),
        _of(c, "_get_tracing_state"),
        _of(transforms, "maybe_current_level") or _of(transforms, "peek_interpreter_stack"),  # the latter in 2.0
    )


def _of(holder: Any, name: str) -> Any:
    return getattr(holder, name, None)
