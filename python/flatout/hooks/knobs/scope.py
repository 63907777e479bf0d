"""What knobs hold around a root module's training forward, and only there.

A root is the outermost module that is called; the native side calls enter() and
leave() around its __call__ where gradients are on and the module trains, so that
evaluation is the program's own and no frame of ours stands in its tracebacks. In a forward
that backward calls (a checkpoint's) nothing is held: on CUDA it runs in a thread of its own.
"""

from __future__ import annotations

import copy
import sys
import weakref

from .agreement import Alone
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native
    from .agreement import Agreement


class Scope:
    """Parts have enter(module, args, kwargs) -> None where they hold nothing in this
    call, or (args, kwargs, leave), where leave(result, raised) -> the result or what
    stands for it; and failed(error), which undoes them for good. Among several ranks all hold
    one or none does: why_not(module) says before the first forward of a root why this rank
    cannot, refusal why it can no longer, and undo(reason) takes it back."""

    def __init__(self, native: Native, torch: ModuleType, agreement: Agreement | None = None) -> None:
        self.parts: list[Any] = []
        self.agreement = agreement or Alone()
        self.met: weakref.WeakSet[Any] = weakref.WeakSet()
        self.graph_task = getattr(torch._C, "_current_graph_task_id", lambda: -1)
        native.set_forward_scope(self.enter, self.leave)

    def enter(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, Any], Any, Any] | None:
        if self.graph_task() != -1:
            return None
        module, token = args[0], []
        rest, kwargs = args[1:], kwargs or {}
        try:
            if module not in self.met:
                self.met.add(module)
                self._agree(module)
            for part in self.parts:
                held = self._of(part, part.enter, module, rest, kwargs)
                if held is not None:
                    rest, kwargs, leave = held
                    token.append((part, leave))
        except BaseException:  # Ctrl-C just now
            self.leave(token, None, True)
            raise
        return ((module, *rest), kwargs, token) if token else None

    def leave(self, token: Any, result: Any, raised: BaseException | bool | None) -> tuple[Any] | None:
        """In the opposite order, all of them, whatever one of them says."""
        before = result
        for part, leave in reversed(token):
            left = self._of(part, leave, result, raised)
            result = result if left is None else left
        return None if result is before else (result,)

    def look(self, _module: Any, _device: Any) -> None:
        """A part that one rank has given up since, all give up."""
        if self.agreement.alone() or not self.met:
            return
        for part in self.parts:
            reason = self.agreement.hold(part.id, part.refusal)
            if reason is not None and part.refusal is None:
                part.undo(reason)

    def _agree(self, module: Any) -> None:
        if self.agreement.alone() or not has_parameters(module):
            return
        for part in self.parts:
            try:
                own = part.refusal or part.why_not(module)
            except Exception as error:
                own = cause(error)
                part.failed(error)
            reason = self.agreement.hold(part.id, own)
            if reason is not None and own is None:
                part.undo(reason)

    @staticmethod
    def _of(part: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """None where the part failed, which is then undone."""
        try:
            return function(*arguments)
        except Exception as error:
            try:
                part.failed(error)
            except Exception:
                pass  # its word stays the last one that it said
            return None


def as_it_is(_token: object, _result: object, _raised: object) -> None:
    """For the end of a scoped call whose result stays."""
    return None


CHECKPOINTED = "the program recomputes it in backward (torch.utils.checkpoint around it), where the knob would not hold"


def in_checkpoint() -> bool:
    """True where backward will compute again what is called now. A checkpoint keeps the state around its
    function, and compares the types of what both calls save."""
    there = getattr(sys.modules.get("torch.utils.checkpoint"), "__dict__", None)
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals is not there:
        frame = frame.f_back
    return frame is not None


def has_parameters(module: Any) -> bool:
    return next(module.parameters(), None) is not None


def mapped(change: Any, value: Any, depth: int = 3) -> Any:
    """The value with change(tensor) for each tensor in it, in tuples, lists, dicts and
    the outputs of Hugging Face's models; the same object where nothing changes.
    What it does not know stays as it is."""
    if hasattr(value, "is_floating_point"):
        return change(value)
    if depth == 0:
        return value
    if isinstance(value, dict):
        new: Any = {key: mapped(change, part, depth - 1) for key, part in value.items()}
        return value if _same(new.values(), value.values()) else _dict_like(value, new)
    if type(value) is list or isinstance(value, tuple):
        new = [mapped(change, part, depth - 1) for part in value]
        return value if _same(new, value) else _list_like(value, new)
    return value


def _same(new: Any, old: Any) -> bool:
    return all(one is other for one, other in zip(new, old))


def _dict_like(value: Any, new: Any) -> Any:
    if type(value) is dict:
        return new
    made = copy.copy(value)
    for key, part in new.items():
        made[key] = part
    return made


def _list_like(value: Any, new: Any) -> Any:
    if type(value) is list:
        return new
    return type(value)(*new) if hasattr(value, "_fields") else type(value)(new)
