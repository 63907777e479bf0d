"""kernels.hf: kernels of Hugging Face's hub in a model of transformers that has layers for them.

Needs the package kernels in a version that transformers takes, a CUDA device, and
kernels that lie in the cache of the hub already: nothing is downloaded, since the hub is
offline while they are looked for. What is not there stays the model's own layer.
Set: model.set_use_kernels(True), before the first training forward, in the mode of
training; evaluation takes the same kernels. model.use_kernels stays False, or
transformers would look for others, online, at each train() and eval().
Undone: the forwards that were put on the model's layers are taken off.
Draws: none; the kernels round differently.
"""

import contextlib
import importlib.util
import sys
import weakref

from .sdpa import hugging_face_model
from .words import cause

_NONE_HERE = "no kernel for a layer of this model lies in the cache of the hub, and a plan downloads none"
_ABSENT = object()


class HubKernels:
    id = "kernels.hf"

    @staticmethod
    def wrong(value):
        return None if value is True else "its value must be true"

    def __init__(self, torch, value, words, _precision):
        self.torch = torch
        self.value = value
        self.words = words
        self.seen = weakref.WeakSet()
        self.changed = []  # (layer, its own forward before)
        self.refusal = None

    def look(self, _module, _device):
        pass

    def enter(self, module, _args, _kwargs):
        if self.refusal is None and module not in self.seen and next(module.parameters(), None) is not None:
            self.seen.add(module)
            count = len(self.changed)
            reason = self._set(module)
            more = {} if reason else {"effect": "kernels of the hub in %d layers" % (len(self.changed) - count)}
            self.words.say(self.id, self.value, reason is None, reason, False, **more)
        return None  # it holds nothing around the call

    def failed(self, error):
        self.undo(cause(error))

    def undo(self, reason="it was taken back"):
        self.refusal = reason
        for layer, forward in self.changed:
            if forward is _ABSENT:
                layer.__dict__.pop("forward", None)
            else:
                layer.__dict__["forward"] = forward
        self.changed.clear()
        self.words.say(self.id, self.value, False, reason, False)

    @staticmethod
    def _on_cuda(module):
        return next(module.parameters()).is_cuda

    def why_not(self, module):
        if importlib.util.find_spec("kernels") is None:
            return "the package kernels is not installed"
        if not self._on_cuda(module):
            return "the model does not run on a CUDA device"
        model = hugging_face_model(module)
        if model is None:
            return "the model is none of transformers'"
        if not hasattr(model, "set_use_kernels"):
            return "this version of transformers cannot change it"
        if getattr(model, "_use_kernels", False):
            return "the model uses kernels of the hub already"
        return None

    def _set(self, module):
        reason = self.why_not(module)
        if reason is not None:
            return reason
        model = hugging_face_model(module)
        before = [(layer, _own_forward(layer)) for layer in _layers(model)]
        try:
            with _hub_offline():
                model.set_use_kernels(True)
        finally:
            model._use_kernels = False
            changed = [(layer, was) for layer, was in before if _own_forward(layer) is not was]
            self.changed += changed
        return None if changed else _NONE_HERE


def _own_forward(layer):
    return layer.__dict__.get("forward", _ABSENT)


def _layers(model):
    """The modules of a model, and the functions that stand for layers of them."""
    for module in model.modules():
        yield module
        yield from getattr(module, "_kernel_funcs", {}).values()


@contextlib.contextmanager
def _hub_offline():
    """Whoever asks the hub in between, also in another thread, gets what its cache holds."""
    constants = sys.modules.get("huggingface_hub.constants")
    if constants is None:
        raise RuntimeError("huggingface_hub is not loaded")
    was = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = was
