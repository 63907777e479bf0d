"""What knobs share that put fused layers of a package into a model of transformers.

Each model is looked at once, at its first training forward. A knob of this kind has an
`id`, the `package` that it needs, and

    unfit(model)   why this model gets none, None = it does
    change(model)  puts them in: (why nothing came of it, None = it did; what to say more)
    put_back()     takes all of them off again
"""

from __future__ import annotations

import importlib.util

from ..core.fields import ByIdentity
from .sdpa import hugging_face_model
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words
    from ..torch.precision import Precision


class ModelKernels(OfTable):
    """Subclasses have id, package, unfit(model), change(model) and put_back()."""

    if TYPE_CHECKING:
        id: str
        package: str

        def unfit(self, model: Any) -> str | None: ...
        def change(self, model: Any) -> tuple[Any, dict[str, Any]]: ...
        def put_back(self) -> None: ...

    def __init__(self, torch: ModuleType, value: Any, words: Words, _precision: Precision) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.seen = ByIdentity()
        self.refusal: Any = None

    def look(self, _module: Any, _device: Any) -> None:
        pass

    def enter(self, module: Any, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        if self.refusal is None and module not in self.seen and next(module.parameters(), None) is not None:
            self.seen.set(module, True)
            more: dict[str, Any] = {}
            reason = self.why_not(module)
            if reason is None:
                reason, more = self.change(hugging_face_model(module))
            self.words.say(self.id, self.value, reason is None, reason, False, **more)
        return None  # it holds nothing around the call

    def failed(self, error: BaseException) -> None:
        self.undo(cause(error))

    def undo(self, reason: str = "it was taken back") -> None:
        self.refusal = reason
        self.put_back()
        self.words.say(self.id, self.value, False, reason, False)

    def why_not(self, module: Any) -> str | None:
        if importlib.util.find_spec(self.package) is None:
            return "the package %s is not installed" % self.package
        if not self._on_cuda(module):
            return "the model does not run on a CUDA device"
        model = hugging_face_model(module)
        return "the model is none of transformers'" if model is None else self.unfit(model)

    @staticmethod
    def _on_cuda(module: Any) -> Any:
        return next(module.parameters()).is_cuda
