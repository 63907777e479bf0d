"""The learning rate for another effective batch.

SGD: in proportion to the batch (Goyal et al., arXiv 1706.02677, section 2.1), reached by
a ramp from the program's own rate over five epochs (section 2.2), at most over 780 updates,
which is what five epochs were there (1.28 million images in batches of 8192). A smaller
batch needs no ramp.
Adam, AdamW, NAdam, RAdam, RMSprop: by the square root of it (Malladi et al., arXiv
2205.10287). That paper scales betas and epsilon as well; they stay the program's here.
All else: no rule is known, the rate stays, and that is said.

The rate is scaled only around the optimizer's step: before it, group["lr"] is replaced,
behind it the very object that stood there is put back. So a scheduler, built before or
after, goes on from the program's own rate, state_dict() holds it, and what the program
prints is it. A closure sees it, too. A rate that is a tensor stays the same tensor. Where
a step raises, the rate is put back behind the next one. A step that torch.compile traced
scales nothing.
"""

from __future__ import annotations

import weakref

from ..torch.compiling import is_compiling_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
RAMP_EPOCHS = 5
RAMP_UPDATES = 780
_SQUARE_ROOT = ("Adam", "AdamW", "NAdam", "RAdam", "RMSprop")


class LearningRate:
    """`ratio()` of the effective batches, None where none is set; `epoch_updates()` or None;
    `changed()` is called when effect() says something new."""

    def __init__(self, native: Native, torch: ModuleType, ratio: Any, epoch_updates: Any, changed: Any) -> None:
        from torch.optim import optimizer as optim

        self.native = native
        self.torch = torch
        self.ratio = ratio
        self.epoch_updates = epoch_updates
        self.changed = changed
        self.states: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # optimizer -> _Rates
        before, after = _hooks(self._begin, self._end, is_compiling_of(torch))
        optim.register_optimizer_step_pre_hook(before)
        optim.register_optimizer_step_post_hook(after)

    def effect(self) -> str | None:
        """One clause for the user, None before the first update."""
        clauses = []
        for state in self.states.values():
            if state.clause not in clauses:
                clauses.append(state.clause)
        return "; ".join(clauses) or None

    def _begin(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._scale(optimizer, args, kwargs)
        except Exception:  # torch calls this: an error would be the program's
            return None

    def _scale(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ratio = self.ratio()
        if ratio is None or ratio == 1:
            return None
        state = self.states.get(optimizer)
        if state is None or state.ratio != ratio:
            state = self.states[optimizer] = self._meet(optimizer, ratio)
            self.changed()
        if state.full == 1:
            return None
        state.scale(optimizer)
        return self._closure_with_its_own_rate(optimizer, state, args, kwargs)

    def _end(self, optimizer: Any) -> None:
        state = self.states.get(optimizer)
        if state is not None:
            state.restore()

    def _meet(self, optimizer: Any, ratio: Any) -> _Rates:
        rule = _rule(self.torch, optimizer)
        name = type(optimizer).__name__
        if rule is None:
            return _Rates(ratio, 1, 0, "learning rate as it was: no rule is known for " + name)
        full = ratio if rule == "linear" else ratio**0.5
        ramp = 0
        text = "learning rate x%.4g (%s rule, %s)" % (full, rule, name)
        if rule == "linear" and ratio > 1:
            epoch = self.epoch_updates()
            ramp = RAMP_UPDATES if not epoch else min(RAMP_EPOCHS * epoch, RAMP_UPDATES)
            text += ", ramped over %d updates" % ramp
        return _Rates(ratio, full, ramp, text)

    def _closure_with_its_own_rate(self, optimizer: Any, state: Any, args: tuple[Any, ...],
                                   kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """The program's own rate in it (the whole training step, in Lightning)."""
        in_args = len(args) > 1 and callable(args[1])
        closure = args[1] if in_args else (kwargs or {}).get("closure")
        if not callable(closure):
            return None
        closure = self.native.span(
            closure, CALLBACK, before=lambda _args, _none: state.restore(), after=lambda _args, _result: state.again(optimizer)
        )
        if in_args:
            return (args[0], closure, *args[2:]), kwargs
        return args, {**kwargs, "closure": closure}


class _Rates:
    """One optimizer."""

    def __init__(self, ratio: Any, full: Any, ramp: Any, clause: str) -> None:
        self.ratio = ratio
        self.full = full  # what the rate is multiplied by, behind the ramp
        self.ramp = ramp  # updates
        self.clause = clause
        self.updates = 0
        self.marks: list[Any] = []  # (group, the program's rate, ours) while ours stands there

    def scale(self, optimizer: Any) -> None:
        """A rate that is still ours (a step inside a step, or one that raised) stays."""
        before, self.marks = self.marks, []
        if not before:
            self.updates += 1
        for group in optimizer.param_groups:
            mark = next((old for old in before if old[0] is group and group.get("lr") is old[2]), None)
            own = group.get("lr")
            if mark is None and own is not None:
                mark = (group, own, own * self._factor())
                group["lr"] = mark[2]
            if mark is not None:
                self.marks.append(mark)

    def again(self, optimizer: Any) -> None:
        self.updates -= 1
        self.scale(optimizer)

    def restore(self) -> None:
        for group, own, ours in self.marks:
            if group.get("lr") is ours:
                group["lr"] = own
        self.marks = []

    def _factor(self) -> Any:
        if self.updates >= self.ramp:
            return self.full
        return 1 + (self.full - 1) * self.updates / self.ramp


def _rule(torch: ModuleType, optimizer: Any) -> Any:
    if isinstance(optimizer, torch.optim.SGD):
        return "linear"
    kinds = tuple(getattr(torch.optim, name) for name in _SQUARE_ROOT if hasattr(torch.optim, name))
    return "square root" if isinstance(optimizer, kinds) else None


def _hooks(begin: Any, end: Any, is_compiling: Any) -> Any:
    # As those of optimizer.py: where torch.compile traces a step it traces these as well.
    def before_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if is_compiling():
            return None
        return begin(optimizer, args, kwargs)

    def after_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if is_compiling():
            return None
        end(optimizer)
        return None

    return before_step, after_step
