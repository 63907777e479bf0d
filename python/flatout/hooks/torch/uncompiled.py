"""Keeps torch.compile away from functions of ours."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def leave_uncompiled(torch: ModuleType, *functions: Any) -> None:
    """Where torch.compile breaks off at a call that we stand in for it would go on
    with the Python that it meets below: with ours, and with what that calls."""
    frames: Any = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    if not hasattr(frames, "set_code_exec_strategy"):
        return  # releases of torch that say this otherwise compile it
    skip = frames._FrameAction.SKIP
    for function in functions:
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
