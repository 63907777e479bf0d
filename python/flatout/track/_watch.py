"""`watch`: histograms of a model's gradients and parameters, taken during some of its backward passes."""

from __future__ import annotations

from typing import Any, Callable

from flatout.track.errors import say_once
from flatout.track.media import Histogram

__all__ = ["Watch"]


class Watch:
    """Of one model. Nothing of the model is replaced: each parameter gets a hook, which unwatch takes away."""

    def __init__(self, model: Any, kind: str, every: int, prefix: str, emit: Callable[[dict[str, Any]], None]) -> None:
        self.model = model
        self._every = max(1, int(every))
        self._kind = kind
        self._emit = emit
        self._hooks: list[Any] = []
        for name, parameter in model.named_parameters():
            if getattr(parameter, "requires_grad", False):
                self._hooks.append(parameter.register_hook(self._hook(prefix + name, parameter)))

    def _hook(self, name: str, parameter: Any) -> Callable[[Any], None]:
        calls = [0]

        def hook(gradient: Any) -> None:
            calls[0] += 1
            if calls[0] % self._every != 0:
                return
            try:
                out = {}
                if self._kind in ("gradients", "all"):
                    out["gradients/" + name] = _histogram(gradient)
                if self._kind in ("parameters", "all"):
                    out["parameters/" + name] = _histogram(parameter)
                self._emit(out)
            except Exception as error:
                say_once(f"watch: {type(error).__name__}: {error}", "watch")

        return hook

    def close(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []


def _histogram(tensor: Any) -> Histogram:
    values = tensor.detach()
    if getattr(values, "is_sparse", False):
        values = values.coalesce().values()
    return Histogram(values.flatten())
