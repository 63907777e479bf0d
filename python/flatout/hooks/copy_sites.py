"""From which lines of the program its copies to a device come."""

import json

from .callsite import user_line

_MOST_SITES = 8


class CopySites:
    def __init__(self, native):
        self.native = native
        self.said = set()

    def say(self, source):
        """Of a copy of `source`; whether a further one is worth a call."""
        at = user_line()
        if at is not None and at not in self.said:
            self.said.add(at)
            facts = {"phase": "h2d", "at": at, "pinned": bool(source.is_pinned()), "bytes": source.numel() * source.element_size()}
            self.native.fact("copy", json.dumps(facts))
        return len(self.said) < _MOST_SITES
