"""Optimizers and GradScaler: what they are, and their updates (updates.py)."""

from __future__ import annotations

import json
import sys
import weakref

from ..core.callsite import user_line
from ..core.fields import fields
from .precision import grad_scaler
from .updates import OPTIMIZER, Updates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions
    from ..knobs import Knobs
    from .trainers import Trainers

PHASE, CALLBACK = 0, 7
_MOST_OPTIMIZERS = 8


def install(native: Native, torch: ModuleType, occasions: Occasions, trainers: Trainers, knobs: Knobs | None) -> None:
    from torch.optim import optimizer as optim  # torch.optim hides it as an attribute

    optimizers = _Optimizers(native, trainers, knobs, Updates(native, torch, optim))
    native.hook(optim.Optimizer, "__init__", CALLBACK, after=optimizers.built)
    occasions.listen(optimizers.look)
    scaler = grad_scaler(torch)
    if scaler is not None:
        # A step that the scaler skips, because gradients overflowed, is an update too.
        native.hook(scaler, "step", PHASE, OPTIMIZER)


class _Optimizers:
    """States class, line and kernels of each optimizer, for the first few; again
    where the kernels change, because its parameters moved to another device."""

    def __init__(self, native: Native, trainers: Trainers, knobs: Knobs | None, updates: Updates) -> None:
        self.native = native
        self.updates = updates
        self.knobs = knobs
        self.trainers = trainers
        self.known: list[Any] = []  # [weak reference, facts]

    def built(self, args: tuple[Any, ...], _result: object) -> None:
        self.native.optimizer_built()
        self.updates.meet(type(args[0]))
        if self.knobs is not None:
            self.knobs.optimizer_built(args[0])
        self.trainers.look()
        if len(self.known) < _MOST_OPTIMIZERS:
            line = user_line()
            self.known.append([weakref.ref(args[0]), {"built_at": line} if line else {}, None])
            self._say(self.known[-1])

    def look(self, _module: Any, _device: Any) -> None:
        for entry in self.known:
            self._say(entry)

    def _say(self, entry: Any) -> None:
        optimizer = entry[0]()
        if optimizer is None:
            return
        facts = {"class": type(optimizer).__name__, **entry[1]}
        try:
            facts.update(kernels(optimizer))
        except Exception:  # an optimizer with groups of its own kind
            pass
        if facts != entry[2]:
            entry[2] = facts
            self.native.fact("optimizer", json.dumps(facts))


def kernels(optimizer: Any) -> Any:
    """fused, foreach, capturable as step() will resolve them, over all groups."""
    groups = fields(optimizer)["param_groups"]
    facts = {"tensors": sum(len(group["params"]) for group in groups)}
    choices = [_choice(optimizer, group) for group in groups]
    for index, name in enumerate(("fused", "foreach", "capturable")):
        values = [choice[index] for choice in choices]
        if values and None not in values:
            facts[name] = all(values)
    return facts


def _choice(optimizer: Any, group: Any) -> tuple[Any, ...]:
    """(fused, foreach, capturable) of one group; None where there is no such choice."""
    fused, foreach, capturable = (group.get(name) for name in ("fused", "foreach", "capturable"))
    if "foreach" not in group:
        return fused if fused is None else bool(fused), None, capturable
    if fused is None and foreach is None:
        foreach = _default_foreach(optimizer, group)
        fused = False if "fused" in group and foreach is not None else None
        return fused, foreach, capturable
    return bool(fused) if "fused" in group else None, bool(foreach), capturable


def _default_foreach(optimizer: Any, group: Any) -> bool | None:
    """Asks the function that torch's optimizers ask, in the module of this class."""
    for kind in type(optimizer).__mro__:
        module = sys.modules.get(kind.__module__)
        default = getattr(module, "_default_to_fused_or_foreach", None)
        if default is None or kind.__name__ == "Optimizer":
            continue
        _, foreach = default(group["params"], bool(group.get("differentiable")), use_fused=False)
        by_tensor = type(group.get("lr")).__name__ == "Tensor" and group.get("capturable") is False
        return bool(foreach) and not by_tensor
    return None
