"""kernels.liger: fused layers of Liger Kernel in a Hugging Face model.

Needs the package liger_kernel with a function for the model's type, and a CUDA device.
Set: Liger's own change of the instance, before the first training forward; evaluation
takes it, too. Undone: the methods that were set on the model's parts are taken off;
what Liger changed in modules of transformers stays until the program ends.
Draws: none; fused kernels round differently.
"""

import importlib
import importlib.util
import weakref

from .sdpa import hugging_face_model
from .words import cause

_PATCHES = "liger_kernel.transformers.monkey_patch"


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
        self.refusal = None

    def look(self, _module, _device):
        pass

    def enter(self, module, _args, _kwargs):
        if self.refusal is None and module not in self.seen and next(module.parameters(), None) is not None:
            self.seen.add(module)
            reason = self._set(module)
            self.words.say(self.id, self.value, reason is None, reason, False)
        return None  # it holds nothing around the call

    def failed(self, error):
        self.undo(cause(error))

    def undo(self, reason="it was taken back"):
        self.refusal = reason
        for part, names in self.before:
            for name in set(vars(part)) - names:
                del part.__dict__[name]
        self.before.clear()
        self.words.say(self.id, self.value, False, reason, False)

    @staticmethod
    def _on_cuda(module):
        return next(module.parameters()).is_cuda

    def why_not(self, module):
        if importlib.util.find_spec("liger_kernel") is None:
            return "the package liger_kernel is not installed"
        if not self._on_cuda(module):
            return "the model does not run on a CUDA device"
        model = hugging_face_model(module)
        if model is None:
            return "the model is none of transformers'"
        kinds = importlib.import_module(_PATCHES).MODEL_TYPE_TO_APPLY_LIGER_FN
        kind = getattr(model.config, "model_type", None)
        return None if kind in kinds else "Liger Kernel knows no model of type %s" % kind

    def _set(self, module):
        reason = self.why_not(module)
        if reason is not None:
            return reason
        model = hugging_face_model(module)
        self.before = [(part, set(vars(part))) for part in model.modules()]
        importlib.import_module(_PATCHES)._apply_liger_kernel_to_instance(model)
        return None
