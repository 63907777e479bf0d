"""What knobs share that put fused layers of a package into a model of transformers.

Each model is looked at once, at its first training forward. A knob of this kind has an
`id`, the `package` that it needs, and

    unfit(model)   why this model gets none, None = it does
    change(model)  puts them in: (why nothing came of it, None = it did; what to say more)
    put_back()     takes all of them off again
"""

import importlib.util

from ..core.fields import ByIdentity
from .sdpa import hugging_face_model
from .values import OfTable
from .words import cause


class ModelKernels(OfTable):
    def __init__(self, torch, value, words, _precision):
        self.torch = torch
        self.value = value
        self.words = words
        self.seen = ByIdentity()
        self.refusal = None

    def look(self, _module, _device):
        pass

    def enter(self, module, _args, _kwargs):
        if self.refusal is None and module not in self.seen and next(module.parameters(), None) is not None:
            self.seen.set(module, True)
            reason, more = self.why_not(module), {}
            if reason is None:
                reason, more = self.change(hugging_face_model(module))
            self.words.say(self.id, self.value, reason is None, reason, False, **more)
        return None  # it holds nothing around the call

    def failed(self, error):
        self.undo(cause(error))

    def undo(self, reason="it was taken back"):
        self.refusal = reason
        self.put_back()
        self.words.say(self.id, self.value, False, reason, False)

    def why_not(self, module):
        if importlib.util.find_spec(self.package) is None:
            return "the package %s is not installed" % self.package
        if not self._on_cuda(module):
            return "the model does not run on a CUDA device"
        model = hugging_face_model(module)
        return "the model is none of transformers'" if model is None else self.unfit(model)

    @staticmethod
    def _on_cuda(module):
        return next(module.parameters()).is_cuda
