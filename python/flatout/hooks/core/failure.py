"""What ended the program: the exception that nobody caught.

The interpreter leaves it in sys.last_value before it calls sys.excepthook, so nothing stands in
between and the traceback is printed by whoever prints it anyway. Read when the interpreter waits for
the program's threads, its first act of ending: a function of atexit's would show in its count.
"""

from __future__ import annotations

import json
import sys
import threading

from . import callsite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
_MOST = 600  # characters of the message


def install(native: Native, _framework: ModuleType) -> None:
    native.hook(threading, "_shutdown", CALLBACK, before=lambda _args, _nothing: _say(native))


def _say(native: Native) -> None:
    try:
        error = getattr(sys, "last_value", None)
        # An interrupt ends the program from outside.
        if isinstance(error, BaseException) and not isinstance(error, KeyboardInterrupt):
            native.fact("failure", json.dumps(_facts(error)))
    except Exception:
        pass  # the program's end is its own


def _facts(error: BaseException) -> Any:
    kind = type(error)
    facts = {"type": kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else "%s.%s" % (kind.__module__, kind.__qualname__)}
    message = _message(error, kind)
    if message:
        facts["message"] = message if len(message) <= _MOST else message[: _MOST - 3] + "..."
    at = callsite.last_user_line(error.__traceback__)
    if at is not None:
        facts["at"] = at
    return facts


def _message(error: BaseException, kind: Any) -> str | None:
    """str(error), unless that would run code of the program's again."""
    if hasattr(kind.__str__, "__code__"):
        return None
    if any(hasattr(type(part).__repr__, "__code__") or hasattr(type(part).__str__, "__code__") for part in error.args):
        return None
    return " ".join(str(error).split())


def quiet_interrupt() -> None:
    """The interrupt of --stop-after is asked for: no traceback of it."""
    before = sys.excepthook

    def hook(kind: Any, value: Any, traceback: Any) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            before(kind, value, traceback)

    sys.excepthook = hook
