"""Keeps torch.compile away from functions of ours that PyTorch itself calls: the native side does so for those that it calls."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def leave_uncompiled(torch: ModuleType, *functions: Any) -> None:
    """Where torch.compile breaks off it goes on with the Python that it meets below: with ours, and with what that calls.
    What it takes into a graph of the program's is not kept from it: see compiling.py."""
    frames: Any = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    if hasattr(frames, "set_code_exec_strategy"):
        skip = frames._FrameAction.SKIP
        for function in functions:
            frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    elif hasattr(frames, "skip_code"):  # of releases before 2.7
        for function in functions:
            frames.skip_code(function.__code__)
