"""Updates: calls of torch's own wrapper around the step() of each optimizer's class, hooked in place.

torch puts that wrapper there when the class's first optimizer is built, copied or unpickled. It
also calls hooks that were registered for all optimizers; those are Python, and where a program
compiles a step, Dynamo compiles the frame in which they stand, which it leaves out without them.
So they are registered only where a step cannot be hooked in place for good: what is hooked so is
held, and the step() of a class that a function of the program makes may hold a model; and there may
be too many classes. All steps are then seen through the registered hooks.
"""

from __future__ import annotations

import sys

from .compiling import is_compiling_of
from .uncompiled import leave_uncompiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK, CLOSURE, UPDATE = 7, 9, 16
OPTIMIZER = 5
_MOST_CLASSES = 64


class Updates:
    def __init__(self, native: Native, torch: ModuleType, optim: ModuleType) -> None:
        self.native, self.torch, self.optim = native, torch, optim
        self.hooked: dict[Any, Any] = {}  # a class's step -> Span
        self.registered = False
        kind = optim.Optimizer
        patches = getattr(kind, "_patch_step_function", None)
        if patches is None or not native.can_hook_in_place():
            self._register()
            return
        self.home = patches.__code__.co_filename
        native.hook(kind, "_patch_step_function", CALLBACK, after=self._patched)
        for known in _below(kind):
            self.meet(known)

    def meet(self, kind: Any) -> None:
        """A class of optimizers, once torch has been at its step."""
        step: Any = getattr(kind, "step", None)
        if self.registered or step in self.hooked or not self._is_wrapper(step):
            return
        if _is_local(step.__qualname__) or len(self.hooked) == _MOST_CLASSES or self._would_be_guarded(step):
            self._register()
            return
        place = _Place(step)
        span = self.native.hook(place, "step", UPDATE, OPTIMIZER)
        if place.step is step:
            self.hooked[step] = span
        else:
            self._register()

    def _patched(self, args: tuple[Any, ...], _nothing: object) -> None:
        self.meet(type(args[0]))

    def _is_wrapper(self, step: Any) -> bool:
        code = getattr(step, "__code__", None)
        return getattr(step, "hooked", False) is True and code is not None and code.co_filename == self.home

    def _would_be_guarded(self, step: Any) -> bool:
        """In 3.11 a function that is hooked has a type of its own, which Dynamo's guards on a step that it goes into refuse.
        It goes into none of torch's, whose innermost wrapper breaks the graph."""
        inner = getattr(getattr(step, "__wrapped__", None), "__code__", None)
        return sys.version_info[:2] == (3, 11) and (inner is None or inner.co_filename != self.home)

    def _register(self) -> None:
        self.registered = True
        while self.hooked:
            self.native.unhook(self.hooked.popitem()[1])
        pre, post = _step_hooks(self.native, is_compiling_of(self.torch))
        leave_uncompiled(self.torch, pre, post)
        self.optim.register_optimizer_step_pre_hook(pre)
        self.optim.register_optimizer_step_post_hook(post)


def _is_local(name: str) -> bool:
    """In 2.0 torch's own steps have the name of the function that wraps them."""
    return "<locals>" in name.replace("_use_grad_for_differentiable.<locals>.", "")


class _Place:
    """Where the native module finds a step, and would put what stands in for it: not into the class."""

    def __init__(self, step: Any) -> None:
        self.step = step


def _below(kind: Any) -> Any:
    """Those that hooks which come late find there."""
    found = set(kind.__subclasses__())
    return found.union(*map(_below, found))


def _step_hooks(native: Native, is_compiling: Any) -> Any:
    # Where torch.compile traces an optimizer's step it traces these as well:
    # they must reach for no global and vanish from the graph.
    phase, closure_mode = OPTIMIZER, CLOSURE
    begin, end, span = native.begin, native.end, native.span

    def before_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        if is_compiling():
            return None
        begin(phase)
        # Forward and backward in a closure are phases of their own, and the rest
        # of it (Lightning runs the whole training_step there) is no update either.
        if len(args) > 1 and callable(args[1]):
            return (args[0], span(args[1], closure_mode), *args[2:]), kwargs
        if kwargs and callable(kwargs.get("closure")):
            return args, {**kwargs, "closure": span(kwargs["closure"], closure_mode)}
        return None

    def after_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if is_compiling():
            return None
        end(phase)
        return None

    return before_step, after_step
