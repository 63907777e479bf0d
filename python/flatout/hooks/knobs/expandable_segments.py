"""alloc.expandable_segments: CUDA memory in segments that grow.

Set by the environment (PYTORCH_CUDA_ALLOC_CONF) before the program starts, beside what the
user's own value says; here it is only looked at. Needs a model on a CUDA device.
Undone: without the plan the environment is the user's.
Draws: none.
"""

import os

from .table import TABLE
from .values import OfTable


class ExpandableSegments(OfTable):
    id = "alloc.expandable_segments"

    def __init__(self, _torch, value, words):
        self.value = value
        self.words = words

    def look(self, _module, device):
        reason = self._reason(device)
        self.words.say(self.id, self.value, reason is None, reason)

    def _reason(self, device):
        if device != "cuda":
            return "the model does not run on a CUDA device"
        declared = TABLE[self.id]
        wanted = declared.text.replace("{}", str(self.value))
        words = [word.strip() for name in declared.variables for word in os.environ.get(name, "").split(",")]
        return None if wanted in words else "its environment variable did not reach the program"
