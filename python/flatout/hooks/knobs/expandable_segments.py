"""alloc.expandable_segments: CUDA memory in segments that grow.

Set by the environment (PYTORCH_CUDA_ALLOC_CONF) before the program starts, beside what the
user's own value says; here it is only looked at. Needs a model on a CUDA device.
Undone: without the plan the environment is the user's.
Draws: none.
"""

from __future__ import annotations

import os

from .table import TABLE
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words


class ExpandableSegments(OfTable):
    id = "alloc.expandable_segments"

    def __init__(self, _torch: ModuleType, value: Any, words: Words) -> None:
        self.value = value
        self.words = words

    def look(self, _module: Any, device: Any) -> None:
        reason = self._reason(device)
        self.words.say(self.id, self.value, reason is None, reason)

    def _reason(self, device: Any) -> str | None:
        if device != "cuda":
            return "the model does not run on a CUDA device"
        declared = TABLE[self.id]
        wanted = declared.text.replace("{}", str(self.value))
        words = [word.strip() for name in declared.variables for word in os.environ.get(name, "").split(",")]
        return None if wanted in words else "its environment variable did not reach the program"
