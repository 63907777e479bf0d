"""A flag of torch that is set when torch is imported, and looked at when the model runs.

The model's device is known only then: where it is not CUDA the flag changes
nothing of use and is put back. Where the program has set the flag since, the
program's word holds.
"""

from __future__ import annotations

from .agreement import Alone
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words

_NOT_CUDA = "the model does not run on a CUDA device"
_OVERRULED = "the program sets it itself"


class Flag(OfTable):
    """Subclasses have id, get(), put(value) and wanted(value)."""

    if TYPE_CHECKING:
        id: str

        def get(self) -> Any: ...
        def put(self, value: Any) -> None: ...
        def wanted(self, value: Any) -> Any: ...

    agreement = Alone()

    def __init__(self, torch: ModuleType, value: Any, words: Words) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.own = self.get()
        self.put(self.wanted(value))
        self.undone = False

    def look(self, _module: Any, device: Any) -> None:
        own = self._why_not(device)
        reason = self.agreement.hold(self.id, own)
        if reason is not None and own is not _OVERRULED:
            self.undo()
        self._say(reason)

    def _why_not(self, device: Any) -> str | None:
        if not self.undone and self.get() != self.wanted(self.value):
            return _OVERRULED
        return None if device == "cuda" and not self.undone else _NOT_CUDA

    def undo(self, _reason: str = "") -> None:
        if not self.undone and self.own is not None:
            self.put(self.own)
        self.undone = True

    def _say(self, reason: str | None) -> None:
        self.words.say(self.id, self.value, reason is None, reason, self.shown(self.own))

    def shown(self, flag: Any) -> Any:
        """A flag as a value of the knob."""
        return flag
