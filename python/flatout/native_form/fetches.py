"""Batches of a loader with a native engine that the dataset made instead, in Python: counted, so that
"native" is not believed of what is not.

Told when there are 1, 2, 4, ... of them, when an epoch or its iterator ends, and at the end of the
process: as often as is needed to know about them, and no oftener.
"""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fetches:
    """Of one loader, over all its epochs."""

    def __init__(self) -> None:
        self.batches = 0
        self.reason: Any = None  # of the first
        self._tell = None
        self._told = 0

    def listen(self, iterator: Any, tell: Any) -> None:
        """tell() is called when what words() gives has changed since; `iterator` is the one that begins."""
        weakref.finalize(iterator, self.say)
        self._tell = tell
        self._told = self.batches

    def add(self, why: str) -> None:
        """One more batch. `why`: one clause."""
        self.batches += 1
        if self.reason is None:
            self.reason = why
        if self.batches & self.batches - 1 == 0:
            self.say()

    def say(self) -> None:
        if self._tell is not None and self._told != self.batches:
            self._told = self.batches
            self._tell()

    def words(self) -> dict[str, Any]:
        """For the fact "loader"."""
        return {"fetched_batches": self.batches, **({} if self.reason is None else {"fetched_reason": self.reason})}
