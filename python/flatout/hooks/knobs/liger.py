"""kernels.liger: fused layers of Liger Kernel in a Hugging Face model.

Needs the package liger_kernel with a function for the model's type, and a CUDA device.
Set: Liger's own change of the instance, before the first training forward; evaluation
takes it, too. Undone: the methods that were set on the model's parts are taken off;
what Liger changed in modules of transformers stays until the program ends.
Draws: none; fused kernels round differently.
"""

import importlib.util
import weakref

from .sdpa import hugging_face_model
from .words import cause


class Liger:
    id = "kernels.liger"

    @staticmethod
    def wrong(value):
        return None if value is True else "its value must be true"

    def __init__(self, torch, value, words, _precision):
        self.torch = torch
        self.value = value
        self.words = words
        self.seen = weakref.WeakSet()
        self.before = []  # (part, its own attributes before)

    def look(self, _module, _device):
        pass

    def enter(self, module, _args, _kwargs):
        if module not in self.seen and next(module.parameters(), None) is not None:
            self.seen.add(module)
            reason = self._set(module)
            self.words.say(self.id, self.value, reason is None, reason, False)
        return None  # it holds nothing around the call

    def failed(self, error):
        self.undo(cause(error))

    def undo(self, reason="it was taken back"):
        for part, names in self.before:
            for name in set(vars(part)) - names:
                del part.__dict__[name]
        self.before.clear()
        self.words.say(self.id, self.value, False, reason, False)

    @staticmethod
    def _on_cuda(module):
        return next(module.parameters()).is_cuda

    def _set(self, module):
        if importlib.util.find_spec("liger_kernel") is None:
            return "the package liger_kernel is not installed"
        if not self._on_cuda(module):
            return "the model does not run on a CUDA device"
        model = hugging_face_model(module)
        if model is None:
            return "the model is none of transformers'"
        from liger_kernel.transformers.monkey_patch import (
            MODEL_TYPE_TO_APPLY_LIGER_FN,
            _apply_liger_kernel_to_instance,
        )

        kind = getattr(model.config, "model_type", None)
        if kind not in MODEL_TYPE_TO_APPLY_LIGER_FN:
            return "Liger Kernel knows no model of type %s" % kind
        self.before = [(part, set(vars(part))) for part in model.modules()]
        _apply_liger_kernel_to_instance(model)
        return None
