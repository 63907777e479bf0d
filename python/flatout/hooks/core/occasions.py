"""When facts are looked at that may change while the program trains.

At the first training forward of the model, at the first one after each iterator
that is built (as a rule an epoch), and after every 256 more, or fewer where a listener
waits for something. Between these a forward calls no Python.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._native import Native

LOOK_EVERY = 256


class Occasions:
    def __init__(self, native: Native) -> None:
        self.native = native
        self.due = True
        self.left = LOOK_EVERY  # forwards until the next look, if no epoch begins before
        self._listeners: list[Any] = []

    def listen(self, listener: Any) -> None:
        """Have listener(module, device_type) called at each occasion, before the forward."""
        self._listeners.append(listener)

    def new_epoch(self) -> None:
        self.due = True
        self.native.rest_forwards(None, 0)

    def sooner(self, forwards: int) -> None:
        """For a listener, while it is called: have the next look after so many forwards at most."""
        self.left = min(self.left, forwards)

    def look(self, module: Any, device: Any) -> None:
        self.due = False
        self.left = LOOK_EVERY
        for listener in self._listeners:
            try:
                listener(module, device)
            except Exception:  # this fact stays absent, the others are still told
                continue
