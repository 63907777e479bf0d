"""Autocast around a root module's training forward, with float32 results.

What precision.bf16 and precision.fp16 share. The module is called inside
torch.autocast, as the author would write it: leaving it clears the cache of cast
weights, so that the next forward casts what the update has left (a switch that
stays on would go on with stale ones). Results in half precision are given back in float32,
so the loss outside is computed in float32.
"""

from __future__ import annotations

import weakref

from ..torch.precision import autocast_state
from .scope import CHECKPOINTED, has_parameters, in_checkpoint, mapped
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words
    from ..torch.precision import Precision

_HALVES = ("torch.float16", "torch.bfloat16")
_OWN = "the program uses autocast itself"
_SCALES = "the program scales its losses with a GradScaler"
_PARALLEL = "the model runs in nn.DataParallel, whose threads would need it, too"


class Autocast(OfTable):
    """Subclasses have id, dtype_name, and may refuse more by refused(module, device)."""

    if TYPE_CHECKING:
        id: str
        dtype_name: str

    def __init__(self, torch: ModuleType, value: Any, words: Words, precision: Precision) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.precision = precision
        self.dtype = getattr(torch, self.dtype_name)
        self.refusal: Any = None  # for good: then nothing is held any more
        self.said = False
        self.roots: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # -> device type, None: not this one

    def look(self, module: Any, device: Any) -> None:
        """What precision saw of the program around and inside its forwards."""
        if self.refusal is None and self.precision.saw_autocast:
            self._refuse(_OWN)
        if self.refusal is None and len(self.precision.scalers) > 0:
            self._refuse(_SCALES)

    def undo(self, reason: str = "it was taken back") -> None:
        """Nothing stays set between two forwards."""
        self._refuse(reason)

    def set_aside(self) -> None:
        """Nothing stays set between two forwards."""

    def take_up(self) -> None:
        self.said = False
        if self.refusal is not None:
            self._refuse(self.refusal)

    def failed(self, error: BaseException) -> None:
        self._refuse(cause(error))

    def enter(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.refusal is not None:
            return None
        if module not in self.roots:
            self.roots[module] = self._device_of(module)
        device = self.roots[module]
        if device is None:
            return None
        if self.precision.ours:
            self._refuse("another knob holds autocast around it")
            return None
        if in_checkpoint():
            self._refuse(CHECKPOINTED)
            return None
        if self.precision.saw_autocast or autocast_state(self.torch, device) != "off":
            self._refuse(_OWN)
            return None
        context = self.torch.autocast(device, dtype=self.dtype)
        context.__enter__()
        self.precision.begin_ours()

        def leave(result: Any, raised: BaseException | None) -> Any:
            self.precision.end_ours()
            context.__exit__(None, None, None)
            if not self.said:  # also where the program fails in it, perhaps for that
                self.said = True
                self.words.say(self.id, self.value, True, None, False)
            return result if raised else mapped(self._in_float32, result)

        return args, kwargs, leave

    def why_not(self, module: Any) -> str | None:
        """Of a root with parameters that is about to be called."""
        if in_checkpoint():
            return CHECKPOINTED
        device = next(module.parameters()).device.type
        if self.precision.saw_autocast or autocast_state(self.torch, device) != "off":
            return _OWN
        return _SCALES if len(self.precision.scalers) > 0 else self._why_not(module, device)

    def _device_of(self, module: Any) -> Any:
        """Of a root with parameters; None for one without (a loss), and where the knob is refused."""
        if not has_parameters(module):
            return None
        device = next(module.parameters()).device.type
        reason = self._why_not(module, device)
        if reason is not None:
            self._refuse(reason)
            return None
        return device

    def _why_not(self, module: Any, device: Any) -> str | None:
        for parameter in module.parameters():
            if str(parameter.dtype) in _HALVES:
                return "the model holds parameters in %s" % str(parameter.dtype).rpartition(".")[2]
        if isinstance(module, self.torch.nn.DataParallel):
            return _PARALLEL
        return self.refused(module, device)

    def refused(self, _module: Any, _device: Any) -> str | None:
        return None

    def _in_float32(self, tensor: Any) -> Any:
        return tensor.float() if tensor.dtype is self.dtype else tensor

    def _refuse(self, reason: str) -> None:
        self.refusal = reason
        self.words.say(self.id, self.value, False, reason, False)
