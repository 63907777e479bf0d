"""Which lines of the program wait for its device: each is said once (src/inject/wait_sites.h)."""

from __future__ import annotations

import json

from ..core.callsite import is_own, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

    from .._native import Native

# As the program writes them.
_WRITTEN = {"__bool__": "bool", "__float__": "float", "__int__": "int"}


class WaitSites:
    def __init__(self, native: Native) -> None:
        self.native = native

    def is_own(self, code: CodeType, frame: FrameType) -> bool:
        return is_own(frame)

    def say(self, number: int, function: Any, own: FrameType | None, inner: FrameType) -> None:
        """`own` is the program's innermost frame, `inner` the one that called: no library stands between where they are one."""
        name = getattr(function, "__name__", "")
        facts = {"site": number, "call": _WRITTEN.get(name, name)}
        if own is not None:
            facts["at"] = line_of((own.f_code.co_filename, own.f_lineno))
        if own is not inner:
            facts["by"] = "%s:%d" % (inner.f_globals.get("__name__") or inner.f_code.co_filename, inner.f_lineno)
        self.native.fact("wait_site", json.dumps(facts))
