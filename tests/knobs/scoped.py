"""In the place of the native module: a Span that is Python, and what holds around a forward."""

import functools
import json


class Native:
    def __init__(self):
        self.facts = []
        self.enter = self.leave = None

    def fact(self, key, text):
        self.facts.append(json.loads(text))

    def look_inside(self, _callback):
        pass

    def set_forward_scope(self, enter, leave):
        self.enter, self.leave = enter, leave

    def hook(self, holder, name, mode, before=None, after=None):
        span = self.span(getattr(holder, name), mode, before=before, after=after)
        setattr(holder, name, span)
        return span

    def unhook(self, _span):
        return False  # as for what could not be hooked in place: its holder takes it back

    def span(self, function, mode, before=None, after=None):
        """Of the modes 7 (callbacks) and 10 (a scope) of inject/span.h."""

        def scoped(*args, **kwargs):
            held = before(args, kwargs)
            if held is None:
                return function(*args, **kwargs)
            if len(held) == 1:
                return held[0]
            try:
                result = function(*held[0], **held[1])
            except Exception:
                after(held[2], None, True)
                raise
            changed = after(held[2], result, False)
            return result if changed is None else changed[0]

        def called(*args, **kwargs):
            if before is not None:
                before(args, None)
            result = function(*args, **kwargs)
            if after is not None:
                after(args, result)
            return result

        return functools.wraps(function)(scoped if mode == 10 else called)


def forward(native, module, *args):
    """A training forward of a root module."""
    held = native.enter((module, *args), None)
    if held is None:
        return module(*args)
    (module, *args), kwargs, token = held
    result = module(*args, **kwargs)
    changed = native.leave(token, result, False)
    return result if changed is None else changed[0]
