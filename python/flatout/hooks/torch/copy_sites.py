"""From which lines of the program its copies to a device come."""

from __future__ import annotations

import json

from ..core.callsite import line_of, user_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._native import Native

_MOST_SITES = 8


class CopySites:
    def __init__(self, native: Native) -> None:
        self.native = native
        self.said: set[Any] = set()

    def say(self, source: Any) -> bool:
        """Of a copy of `source`; whether a further one is worth a call. Called at each copy of a program with few lines that copy."""
        place = user_place()
        if place is not None and place not in self.said:
            self.said.add(place)
            facts = {"phase": "h2d", "at": line_of(place), "pinned": bool(source.is_pinned()), "bytes": source.numel() * source.element_size()}
            self.native.fact("copy", json.dumps(facts))
        return len(self.said) < _MOST_SITES
