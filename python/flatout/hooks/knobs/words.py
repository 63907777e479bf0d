"""What is said of each knob: once, and again when it changes (run/facts.h)."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._native import Native

_MOST = 64  # facts of a process; a program that goes back and forth fills no ring


def cause(error: BaseException) -> str:
    return "setting it failed: %s: %s" % (type(error).__name__, error)


class Words:
    """Words of the import are held back until the ring is open: a process that only
    imports torch shall not get a ring for them. One that is made by fork has a ring
    of its own, in which everything is repeated."""

    def __init__(self, native: Native) -> None:
        self.native = native
        self.held: list[Any] = []
        self.ready = False
        self._begin()

    def _begin(self) -> None:
        self.process = os.getpid()
        self.said: dict[Any, Any] = {}
        self.count = 0

    def say(self, knob: Any, value: Any, applied: Any, reason: str | None = None, own: Any = None, **more: Any) -> None:
        """`own`: what the program had, None = not known."""
        facts = {"knob": knob, "value": value, "applied": applied}
        if own is not None:
            facts["from"] = own
        if reason is not None:
            facts["reason"] = reason
        text = json.dumps({**facts, **more})
        if self.process != os.getpid():
            self._begin()
        if self.said.get(knob) == text:
            return
        self.said[knob] = text
        if self.count >= _MOST:
            return
        self.count += 1
        if self.ready:
            self.native.fact("knob", text)
        else:
            self.held.append(text)

    def forget(self, knob: str) -> None:
        """Nothing is known of it until it is said anew."""
        self.said.pop(knob, None)

    def installed(self) -> None:
        """From now on a word may open the ring, which then calls opened()."""
        self.ready = True

    def opened(self) -> None:
        for text in self.held:
            self.native.fact("knob", text)
