"""attention.sdpa: a Hugging Face model computes attention by torch's fused function.

Needs a model of transformers that computes it eagerly, that its class says can be
computed so, and that gives back no attention weights.
Set: model.set_attn_implementation("sdpa"), before the first training forward; evaluation
takes it, too. Undone: "eager" again.
Draws: dropout of attention draws other numbers; sums are rounded differently.
"""

from __future__ import annotations

import weakref

from ..core.fields import ByIdentity
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words
    from ..torch.precision import Precision

_NONE = "the model is none of transformers'"


class Sdpa(OfTable):
    id = "attention.sdpa"

    def __init__(self, torch: ModuleType, value: Any, words: Words, _precision: Precision) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.seen = ByIdentity()
        self.changed: list[Any] = []  # weak references to models
        self.refusal: Any = None

    def look(self, _module: Any, _device: Any) -> None:
        pass

    def enter(self, module: Any, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        if self.refusal is None and module not in self.seen:
            self.seen.set(module, True)
            self._set(module)
        return None  # it holds nothing around the call

    def failed(self, error: BaseException) -> None:
        self.undo(cause(error))

    def undo(self, reason: str = "it was taken back") -> None:
        self.refusal = reason
        for reference in self.changed:
            model = reference()
            if model is not None:
                model.set_attn_implementation("eager")
        self.changed.clear()
        self.words.say(self.id, self.value, False, reason)

    def why_not(self, module: Any) -> str | None:
        model = hugging_face_model(module)
        return _NONE if model is None else _why_not(model)

    def _set(self, module: Any) -> None:
        if next(module.parameters(), None) is None:
            return  # a loss
        model = hugging_face_model(module)
        reason = self.why_not(module)
        if reason is None:
            model.set_attn_implementation("sdpa")
            if model.config._attn_implementation != "sdpa":
                reason = "transformers leaves it as it is"
        if reason is None:
            self.changed.append(weakref.ref(model))
        self.words.say(self.id, self.value, reason is None, reason, None if model is None else False)


def hugging_face_model(module: Any) -> Any:
    """The first of transformers' models in it, as its class tells; None = none."""
    for part in module.modules():
        if any(kind.__name__ == "PreTrainedModel" for kind in type(part).__mro__):
            return part
    return None


def _why_not(model: Any) -> str | None:
    implementation = getattr(model.config, "_attn_implementation", None)
    if implementation != "eager":
        return "its attention is %s already" % implementation
    if not hasattr(model, "set_attn_implementation"):
        return "this version of transformers cannot change it"
    if not getattr(model, "_supports_sdpa", False):
        return "%s cannot be computed so" % type(model).__name__
    if getattr(model.config, "output_attentions", False):
        return "the program asks for the weights of the attention"
    return None
