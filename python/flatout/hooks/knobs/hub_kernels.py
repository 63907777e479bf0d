"""kernels.hf: kernels of Hugging Face's hub in a model of transformers that has layers for them.

Needs the package kernels in a version that transformers takes, a CUDA device, and
kernels that lie in the cache of the hub already: nothing is downloaded, since the hub is
offline while they are looked for. What is not there stays the model's own layer.
Set: model.set_use_kernels(True), before the first training forward, in the mode of
training; evaluation takes the same kernels. model.use_kernels stays False, or
transformers would look for others, online, at each train() and eval().
Undone: the forwards that were put on the model's layers are taken off.
Draws: none; the kernels round differently.
"""

from __future__ import annotations

import contextlib
import sys

from .model_kernels import ModelKernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

_NONE_HERE = "no kernel for a layer of this model lies in the cache of the hub, and a plan downloads none"
_ABSENT = object()


class HubKernels(ModelKernels):
    id = "kernels.hf"
    package = "kernels"

    def __init__(self, *needs: Any) -> None:
        super().__init__(*needs)
        self.changed: list[Any] = []  # (layer, its own forward before)

    def unfit(self, model: Any) -> str | None:
        if not hasattr(model, "set_use_kernels"):
            return "this version of transformers cannot change it"
        if getattr(model, "_use_kernels", False):
            return "the model uses kernels of the hub already"
        return None

    def change(self, model: Any) -> Any:
        before = [(layer, _own_forward(layer)) for layer in _layers(model)]
        try:
            with _hub_offline():
                model.set_use_kernels(True)
        finally:
            model._use_kernels = False
            changed = [(layer, was) for layer, was in before if _own_forward(layer) is not was]
            self.changed += changed
        return (None, {"effect": "kernels of the hub in %d layers" % len(changed)}) if changed else (_NONE_HERE, {})

    def put_back(self) -> None:
        for layer, forward in self.changed:
            if forward is _ABSENT:
                layer.__dict__.pop("forward", None)
            else:
                layer.__dict__["forward"] = forward
        self.changed.clear()


def _own_forward(layer: Any) -> Any:
    return layer.__dict__.get("forward", _ABSENT)


def _layers(model: Any) -> Iterator[Any]:
    """The modules of a model, and the functions that stand for layers of them."""
    for module in model.modules():
        yield module
        yield from getattr(module, "_kernel_funcs", {}).values()


@contextlib.contextmanager
def _hub_offline() -> Iterator[None]:
    """Whoever asks the hub in between, also in another thread, gets what its cache holds."""
    constants: Any = sys.modules.get("huggingface_hub.constants")
    if constants is None:
        raise RuntimeError("huggingface_hub is not loaded")
    was = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = was
