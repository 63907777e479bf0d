"""In which precision the model computes: autocast, GradScaler, TF32, cuDNN.

Everything is only read, and only where reading says nothing to the user and
changes nothing: torch refuses to answer for the old TF32 flags once the new ones
were used (they then stay absent), and never warns on reading.
"""

from __future__ import annotations

import json

from ..core.fields import ByIdentity, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions

CALLBACK = 7
_MOST_CHANGES = 32


def install(native: Native, torch: ModuleType, occasions: Occasions, precision: Precision) -> None:
    scaler = grad_scaler(torch)
    if scaler is not None:
        native.hook(scaler, "__init__", CALLBACK, after=precision.scaler_built)
    occasions.listen(precision.look)


def grad_scaler(torch: ModuleType) -> Any:
    for path in ("amp.grad_scaler", "cuda.amp.grad_scaler"):
        holder: Any = torch
        for name in path.split("."):
            holder = getattr(holder, name, None)
        if holder is not None:
            return getattr(holder, "GradScaler", None)
    return None


class Precision:
    """Autocast is often entered inside the model's own forward (accelerate wraps it
    so). Where it is off around the forward, the first submodule called answers."""

    def __init__(self, native: Native, torch: ModuleType) -> None:
        self.native = native
        self.torch = torch
        self.scalers = ByIdentity()
        self.said: Any = None
        self.changes = 0
        self.waits_for = None  # device type, while the first submodule shall answer
        self.saw_autocast = False  # of the program's, ever
        self.ours = 0  # depth of autocast inside that of a knob; 0 = none is on

    def begin_ours(self) -> None:
        """A knob has just entered an autocast of its own."""
        self.ours = nesting(self.torch)

    def end_ours(self) -> None:
        self.ours = 0

    def scaler_built(self, args: tuple[Any, ...], _result: object) -> None:
        if fields(args[0]).get("_enabled"):
            self.scalers.set(args[0], True)

    def look(self, module: Any, device: Any) -> None:
        state = autocast_state(self.torch, device)
        if state == "off" and fields(module).get("_modules"):
            self.waits_for = device
            self.native.look_inside(self._inside)
        else:
            self._say(state)

    def settle(self) -> None:
        """Before the next outermost forward: no submodule was called in the last one, or none that could be asked."""
        self.waits_for = None
        if not self.native.look_inside(None):
            self._say("off")

    def _inside(self, _args: tuple[Any, ...], _nothing: object) -> None:
        device, self.waits_for = self.waits_for, None
        if device is not None:
            only_ours = self.ours and nesting(self.torch) <= self.ours
            self._say("off" if only_ours else autocast_state(self.torch, device))

    def _say(self, autocast: Any) -> None:
        self.saw_autocast = self.saw_autocast or autocast not in ("off", None)
        facts = {"autocast": autocast, "scaler": len(self.scalers) > 0, **flags(self.torch)}
        text = json.dumps({key: value for key, value in facts.items() if value is not None})
        if text == self.said or self.changes >= _MOST_CHANGES:
            return
        self.said = text
        self.changes += 1
        self.native.fact("precision", text)


def autocast_state(torch: ModuleType, device: Any) -> Any:
    """ "bfloat16", "off", or None where this torch cannot tell for that device."""
    try:
        if hasattr(torch, "get_autocast_dtype"):
            dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
        elif device == "cpu":
            dtype = torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
        else:
            dtype = torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    except Exception:
        return None
    return "off" if dtype is None else str(dtype).rpartition(".")[2]


def nesting(torch: ModuleType) -> Any:
    """How many autocasts are open in this thread."""
    depth = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    return depth - 1


def flags(torch: ModuleType) -> dict[str, Any]:
    native = torch._C
    return {
        "tf32_matmul": _tf32(native, "matmul", "_get_cublas_allow_tf32"),
        "tf32_cudnn": _tf32(native, "conv", "_get_cudnn_allow_tf32"),
        "float32_matmul_precision": _answer(native, "_get_float32_matmul_precision"),
        "cudnn_benchmark": _answer(native, "_get_cudnn_benchmark"),
        "cudnn_deterministic": _answer(native, "_get_cudnn_deterministic"),
    }


def _tf32(native: Native, operation: Any, old_name: str) -> Any:
    """From torch 2.9 on by operation, where "none" means: as the level above says."""
    levels = (("cuda", operation), ("cuda", "all"), ("generic", "all"))
    for level in levels if hasattr(native, "_get_fp32_precision_getter") else ():
        value = _answer(native, "_get_fp32_precision_getter", *level)
        if value is None:
            break
        if value != "none":
            return value == "tf32"
    else:
        if hasattr(native, "_get_fp32_precision_getter"):
            return False
    return _answer(native, old_name)


def _answer(native: Native, name: str, *arguments: Any) -> Any:
    try:
        return getattr(native, name)(*arguments)
    except Exception:
        return None
