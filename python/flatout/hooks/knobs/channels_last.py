"""layout.channels_last: images and convolutions' weights with their channels innermost.

Needs a root module with Conv2d or ConvTranspose2d whose weights are whole tensors.
Set: the .data of these weights, before DistributedDataParallel wraps the model or
at its first training forward; the parameters stay the same objects with the
same values. Four-dimensional float inputs of a training forward are converted, results are
given back as they would lie without it. As by hand, .view() of an image inside the
model may then raise an error: reshape() and flatten() do not.
Undone: the weights lie as before.
Draws: none; another algorithm convolves.
"""

from __future__ import annotations

import weakref

from .scope import mapped
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from .words import Words
    from ..torch.precision import Precision

_NONE = "the model has no Conv2d"


class ChannelsLast(OfTable):
    id = "layout.channels_last"

    def __init__(self, torch: ModuleType, value: Any, words: Words, _precision: Precision) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.refusal: Any = None
        self.said = False
        self.roots: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # -> whether it convolves
        self.changed: list[Any] = []  # weak references to weights

    def install(self, native: Native) -> None:
        parallel = self.torch.nn.parallel.DistributedDataParallel
        native.hook(parallel, "__init__", 7, before=self.before_parallel)

    def before_parallel(self, args: tuple[Any, ...], _nothing: object) -> None:
        if self.refusal is None and len(args) > 1 and isinstance(args[1], self.torch.nn.Module):
            self._convert(args[1])

    def look(self, module: Any, _device: Any) -> None:
        if self.refusal is None and not self.said and not any(self.roots.values()):
            if not self._weights(module):
                self.words.say(self.id, self.value, False, _NONE, False)

    def enter(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any] | None:
        if self.refusal is not None:
            return None
        if module not in self.roots:
            self.roots[module] = self._convert(module)
        if not self.roots[module]:
            return None
        last = self.torch.channels_last
        args = tuple(mapped(lambda tensor: self._laid(tensor, last), value, 2) for value in args)
        kwargs = {name: mapped(lambda tensor: self._laid(tensor, last), value, 2) for name, value in kwargs.items()}
        return args, kwargs, self._leave

    def _leave(self, result: Any, raised: BaseException | None) -> Any:
        if raised:
            return result
        if not self.said:
            self.said = True
            self.words.say(self.id, self.value, True, None, False)
        return mapped(lambda tensor: self._laid(tensor, self.torch.contiguous_format), result)

    def why_not(self, module: Any) -> str | None:
        return None if self._weights(module) else _NONE

    def failed(self, error: BaseException) -> None:
        self.undo(cause(error))

    def undo(self, reason: str = "it was taken back") -> None:
        self.refusal = reason
        for reference in self.changed:
            weight = reference()
            if weight is not None:
                weight.data = weight.data.contiguous()
        self.changed.clear()
        self.words.say(self.id, self.value, False, reason, False)

    def _laid(self, tensor: Any, layout: Any) -> Any:
        if tensor.dim() != 4 or not tensor.is_floating_point() or tensor.layout != self.torch.strided:
            return tensor
        return tensor.contiguous(memory_format=layout)

    def _weights(self, module: Any) -> list[Any]:
        kinds = (self.torch.nn.Conv2d, self.torch.nn.ConvTranspose2d)
        weights = [part.weight for part in module.modules() if isinstance(part, kinds)]
        return [weight for weight in weights if type(weight) is self.torch.nn.Parameter and weight.dim() == 4]

    def _convert(self, module: Any) -> bool:
        weights = self._weights(module)
        for weight in weights:
            if weight.is_contiguous() and not weight.is_contiguous(memory_format=self.torch.channels_last):
                weight.data = weight.data.contiguous(memory_format=self.torch.channels_last)
                self.changed.append(weakref.ref(weight))
        return bool(weights)
