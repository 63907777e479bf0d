"""Takes flatout's hooks out of the process that imports this, and puts them back.

A hook stands in front of a function that stays the object it is, so nothing in PyTorch's classes
shows it. What puts it there is the native module, which sitecustomize has loaded before the
program's first line: each of its calls of `hook` is written down, for `unhook` and for the next
`hook`. Make a Recorder before torch is imported.
"""

import gc
import sys
import types


def native_module():
    """flatout's native module; sys.modules does not have it."""
    for thing in gc.get_objects():
        if type(thing) is types.ModuleType and thing.__name__ == "_native" and hasattr(thing, "unhook"):
            return thing
    sys.exit("no hooks found: is this run observed?")


class Recorder:
    """Writes down every hook that is put in place from now on."""

    def __init__(self):
        self.native = native_module()
        self.hook = self.native.hook
        self.placed = []  # [span, arguments, keywords, what stood there]
        self.native.hook = self._hook

    def _hook(self, holder, name, *more, **keywords):
        original = getattr(holder, name)
        span = self.hook(holder, name, *more, **keywords)
        self.placed.append([span, (holder, name, *more), keywords, original])
        return span


class Switch:
    """Of what a Recorder has seen: set(False) takes the hooks out, set(True) puts them back."""

    def __init__(self, recorder):
        optimizer_file = sys.modules["torch.optim.optimizer"]
        self.recorder = recorder
        self.is_on = True
        self.registries = [
            (registry, dict(registry))
            for registry in (
                optimizer_file._global_optimizer_pre_hooks,
                optimizer_file._global_optimizer_post_hooks,
            )
        ]
        # An update is seen through a hook on the class's step(), or through hooks that were registered for all optimizers.
        updates = any(name == "step" for _, (_, name, *_), _, _ in recorder.placed) or any(hooks for _, hooks in self.registries)
        if len(recorder.placed) < 10 or not updates:
            sys.exit(f"only {len(recorder.placed)} hooks found: is this run observed?")

    def set(self, on):
        if on == self.is_on:
            return
        self.is_on = on
        if on:
            for place in self.recorder.placed:
                place[0] = self.recorder.hook(*place[1], **place[2])
        else:
            for place in reversed(self.recorder.placed):
                self._take_out(*place)
        for registry, hooks in self.registries:
            registry.clear()
            if on:
                registry.update(hooks)

    def _take_out(self, span, arguments, _keywords, original):
        holder, name = arguments[:2]
        if not self.recorder.native.unhook(span) and getattr(holder, name) is span:
            setattr(holder, name, original)
