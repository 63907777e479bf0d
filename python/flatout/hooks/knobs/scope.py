"""What knobs hold around a root module's training forward, and only there.

A root is the outermost module that is called; the native side calls enter() and
leave() around its __call__ where gradients are on and the module trains, so that
evaluation is the program's own and no frame of ours stands in its tracebacks.
"""

import copy
import weakref

from ..torch.uncompiled import leave_uncompiled
from .agreement import Alone
from .words import cause


class Scope:
    """Parts have enter(module, args, kwargs) -> None where they hold nothing in this
    call, or (args, kwargs, leave), where leave(result, raised) -> the result or what
    stands for it; and failed(error), which undoes them for good. Among several ranks all hold
    one or none does: why_not(module) says before the first forward of a root why this rank
    cannot, refusal why it can no longer, and undo(reason) takes it back."""

    def __init__(self, native, torch, agreement=None):
        self.parts = []
        self.agreement = agreement or Alone()
        self.met = weakref.WeakSet()
        native.set_forward_scope(self.enter, self.leave)
        leave_uncompiled(torch, Scope.enter, Scope.leave)

    def enter(self, args, kwargs):
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

    def leave(self, token, result, raised):
        """In the opposite order, all of them, whatever one of them says."""
        before = result
        for part, leave in reversed(token):
            left = self._of(part, leave, result, raised)
            result = result if left is None else left
        return None if result is before else (result,)

    def look(self, _module, _device):
        """A part that one rank has given up since, all give up."""
        if self.agreement.alone() or not self.met:
            return
        for part in self.parts:
            reason = self.agreement.hold(part.id, part.refusal)
            if reason is not None and part.refusal is None:
                part.undo(reason)

    def _agree(self, module):
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
    def _of(part, function, *arguments):
        """None where the part failed, which is then undone."""
        try:
            return function(*arguments)
        except Exception as error:
            try:
                part.failed(error)
            except Exception:
                pass  # its word stays the last one that it said
            return None


def has_parameters(module):
    return next(module.parameters(), None) is not None


def mapped(change, value, depth=3):
    """The value with change(tensor) for each tensor in it, in tuples, lists, dicts and
    the outputs of Hugging Face's models; the same object where nothing changes.
    What it does not know stays as it is."""
    if hasattr(value, "is_floating_point"):
        return change(value)
    if depth == 0:
        return value
    if isinstance(value, dict):
        new = {key: mapped(change, part, depth - 1) for key, part in value.items()}
        return value if _same(new.values(), value.values()) else _dict_like(value, new)
    if type(value) is list or isinstance(value, tuple):
        new = [mapped(change, part, depth - 1) for part in value]
        return value if _same(new, value) else _list_like(value, new)
    return value


def _same(new, old):
    return all(one is other for one, other in zip(new, old))


def _dict_like(value, new):
    if type(value) is dict:
        return new
    made = copy.copy(value)
    for key, part in new.items():
        made[key] = part
    return made


def _list_like(value, new):
    if type(value) is list:
        return new
    return type(value)(*new) if hasattr(value, "_fields") else type(value)(new)
