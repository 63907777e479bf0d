"""What the threads of a loader's engines did so far, told to whoever listens: by the thread that asks for a batch, inside next().

Soon at first, then once a second, and in a long training ever more seldom: hours of it are some hundred tellings. So is what ends an
epoch, and the end of the process. Between two tellings a batch costs one look at the clock.
"""

from __future__ import annotations

import math
import time
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SOON_S = 0.1
_ENDS_TOLD = 64  # at most so many tellings before the end of an epoch is no occasion of its own


class Told:
    """Of the engines of one loader, which figures() sums up. `due`: when look() reports next, on the clock of time.monotonic()."""

    def __init__(self) -> None:
        self.due = math.inf
        self._tell: Any = None
        self._iterator: Any = None
        self._begun: float = 0
        self._told = 0
        self._saying = self._again = False

    def listen(self, iterator: Any, tell: Any) -> None:
        """tell(figures) is called from now on; `iterator` is the one that begins, or goes on with its next epoch."""
        if self._tell is None:
            self._begun = time.monotonic()
            self.due = self._begun + _SOON_S
        self._tell = tell
        if self._iterator is None or self._iterator() is not iterator:
            self._iterator = weakref.ref(iterator)
            weakref.finalize(iterator, self.ended)

    def look(self) -> None:
        if time.monotonic() >= self.due:
            self._say()

    def ended(self) -> None:
        """An epoch is over, or its iterator is gone."""
        if self._tell is not None and (self._told < _ENDS_TOLD or time.monotonic() >= self.due):
            self._say()

    def _say(self) -> None:
        """Where the collector, or another thread, comes by meanwhile, once more: what is reported last is what was read last."""
        if self._saying:
            self._again = True
            return
        self._saying = True
        try:
            for _ in range(2):
                self._again = False
                self._told += 1
                self._tell(self.figures)
                if not self._again:
                    break
        finally:
            self._saying = False
        now = time.monotonic()
        self.due = now + min(_SOON_S * 2 ** min(self._told, 10), max(1.0, (now - self._begun) / 64))

    def figures(self, before: Any = None) -> NoReturn:
        raise NotImplementedError
