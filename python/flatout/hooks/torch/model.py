"""forward and backward, and what the model is."""

from __future__ import annotations

import json

from ..core.fields import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions
    from .precision import Precision

PHASE, FORWARD_MODE, PREPARES = 0, 1, 15
FORWARD, BACKWARD = 3, 4
_MOST_MODELS = 8


def install(native: Native, torch: ModuleType, occasions: Occasions, precision: Precision) -> None:
    module = torch.nn.Module
    models = _Models(native, torch, occasions, precision)
    native.hook(module, "__call__", FORWARD_MODE, FORWARD, before=models.seen)
    # Below backward() and grad(), which torch.compile knows by identity.
    names = ["_engine_run_backward"] if hasattr(torch.autograd, "_engine_run_backward") else ["backward", "grad"]
    for name in names:
        native.hook(torch.autograd, name, PHASE, BACKWARD)
    if "_engine_run_backward" in names and hasattr(torch.autograd, "_make_grads"):
        native.hook(torch.autograd, "_make_grads", PREPARES, BACKWARD)  # launches the first kernel of backward()


class _Models:
    """States the size of each root module with parameters, once a class; the first
    of them is the model by whose forwards other facts are looked at."""

    def __init__(self, native: Native, torch: ModuleType, occasions: Occasions, precision: Precision) -> None:
        self.native = native
        self.torch = torch
        self.occasions = occasions
        self.precision = precision
        self.classes: set[Any] = set()
        self.main: Any = None
        self.left = 0  # forwards until the next look, if no epoch begins before
        self.device = "cpu"
        self.plain = getattr(torch.Tensor, "__torch_dispatch__", None)

    def seen(self, args: tuple[Any, ...], _nothing: object) -> None:
        """Before each outermost forward but those that rest."""
        if self.precision.waits_for is not None:
            self.precision.settle()
        kind = type(args[0])
        if kind is self.main:
            self.left -= 1
            if self.left < 0 or self.occasions.due:
                self._look(args[0])
            if self.left > 0 and self.precision.waits_for is None:
                self.native.rest_forwards(kind, self.left)
                self.left = 0
        elif kind not in self.classes and len(self.classes) < _MOST_MODELS:
            self._meet(args)

    def _meet(self, args: tuple[Any, ...]) -> None:
        module = args[0]
        if not self.torch.is_grad_enabled() or not _is_training(module):
            return
        self.classes.add(type(module))
        facts = _model_facts(module, self.plain)
        facts["conv2d"] = any(issubclass(type(part), self.torch.nn.Conv2d) for part in _parts(module))
        attention = _attention(_inner(module))
        if attention is not None:
            facts["attention"] = attention
        if facts.get("parameters") == 0:
            return
        pictures = self._pictures(args[1:])
        if pictures is not None:
            facts["input"] = pictures
        self.native.fact("model", json.dumps(facts))
        if self.main is None:
            self.main = type(module)
            self.device = facts.get("device", "cpu")
            self._look(module)

    def _pictures(self, inputs: Any) -> list[Any] | None:
        """The shape of a batch of pictures in colour, where the model is given one."""
        for tensor in inputs:
            if type(tensor) is self.torch.Tensor and tensor.dim() == 4 and tensor.shape[1] == 3:
                return [int(size) for size in tensor.shape]
        return None

    def _look(self, module: Any) -> None:
        if _is_training(module) and self.torch.is_grad_enabled():
            self.occasions.look(module, self.device)
            self.left = self.occasions.left


def _model_facts(module: Any, plain: Any) -> Any:
    facts = {"class": type(_inner(module)).__name__, "compiled": _is_compiled(module)}
    # A class of the program's own may answer for its size by its __torch_dispatch__.
    if all(_answers_itself(parameter, plain) for parameter in _parameters(module)):
        facts.update(_sizes(module))
    return facts


def _answers_itself(parameter: Any, plain: Any) -> bool:
    kind = type(parameter)
    return getattr(kind, "__torch_dispatch__", None) is plain or kind.__module__.startswith("torch.")


def _sizes(module: Any) -> dict[str, Any]:
    dtypes: dict[Any, Any] = {}
    trainable = 0
    device = None
    for parameter in _parameters(module):
        if type(parameter).__name__ == "UninitializedParameter":
            continue  # of a lazy module: its size is not known yet
        name = str(parameter.dtype).rpartition(".")[2]
        dtypes[name] = dtypes.get(name, 0) + parameter.numel()
        trainable += parameter.numel() if parameter.requires_grad else 0
        device = device or parameter.device.type
    facts = {"parameters": sum(dtypes.values()), "trainable": trainable, "dtypes": dtypes}
    if device is not None:
        facts["device"] = device
    return facts


def _parts(module: Any) -> Any:
    """As modules(), each once, past methods of the program's own."""
    seen, left = {}, [module]
    while left:
        part = left.pop()
        if part is not None and id(part) not in seen:
            seen[id(part)] = part
            left.extend(reversed(list(fields(part).get("_modules", {}).values())))
    return seen.values()


def _parameters(module: Any) -> Any:
    """As parameters(), in the same way."""
    found = (one for part in _parts(module) for one in fields(part).get("_parameters", {}).values())
    return {id(one): one for one in found if one is not None}.values()


def _is_training(module: Any) -> bool:
    return fields(module).get("training", True) is not False


def _inner(module: Any) -> Any:
    """The user's own module inside what torch.compile, DDP and their like put around it."""
    for _ in range(8):
        parts = fields(module).get("_modules", {})
        held = parts.get("_orig_mod")
        if held is None:
            held = parts.get("module") if len(parts) == 1 else None
        if held is None or "_modules" not in fields(held):
            break
        module = held
    return module


def _attention(model: Any) -> Any:
    """How a model of transformers computes it, where its configuration says so."""
    if not any(kind.__name__ == "PreTrainedModel" for kind in type(model).__mro__):
        return None
    chosen = fields(fields(model).get("config")).get("_attn_implementation_internal")
    return chosen if isinstance(chosen, str) else None


def _is_compiled(module: Any) -> bool:
    """By torch.compile(model) or model.compile(), all of it or a part."""
    return any(
        "_orig_mod" in fields(part).get("_modules", ()) or fields(part).get("_compiled_call_impl") is not None
        for part in _parts(module)
    )
