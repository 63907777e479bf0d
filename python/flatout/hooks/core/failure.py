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
    message, at = _of_a_worker(error) or (_message(error, kind), None)
    if message:
        facts["message"] = _whole_sentences(message)
    at = at or _of_its_syntax(error) or callsite.last_user_line(error.__traceback__)
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


def _whole_sentences(message: str) -> str:
    """The message, or as many of its sentences as _MOST characters hold; where they would leave out most of those, as many words, or characters."""
    if len(message) <= _MOST:
        return message
    begin = message[:_MOST]
    for between, end in ((". ", "."), (" ", " ...")):
        kept = begin.rpartition(between)[0]
        if 2 * len(kept) > _MOST:
            return kept + end
    return begin + " ..."


def _of_a_worker(error: BaseException) -> tuple[str, str | None] | None:
    """(message, line) of an exception that torch brought from a loader worker: its text is the traceback that it had there, of which the last
    line says what it was. None of any other."""
    if len(error.args) != 1 or not isinstance(error.args[0], str):
        return None
    text = str.__str__(error.args[0])
    head, mark, trace = text.partition("\nOriginal Traceback (most recent call last):\n")
    if not mark or not head.startswith("Caught "):
        return None
    at: str | None = None
    said: list[str] = []
    for line in trace.split("\n"):
        if line.startswith('  File "') and '", line ' in line:
            file, _, rest = line[8:].rpartition('", line ')
            at = callsite.user_line_of(file, rest.partition(",")[0]) or at
            said = []
        elif said or not line.startswith(" "):
            said.append(line)
    what = " ".join(" ".join(said).split()).partition(": ")[2]
    return ("%s (%s)" % (what, " ".join(head.split()[2:]).rstrip("."))).strip(), at


def _of_its_syntax(error: BaseException) -> str | None:
    """The line that does not parse, which no frame stands for."""
    if not isinstance(error, SyntaxError) or not error.filename or not error.lineno:
        return None
    return callsite.user_line_of(error.filename, str(error.lineno))


def quiet_interrupt() -> None:
    """The interrupt of --stop-after is asked for: no traceback of it."""
    before = sys.excepthook

    def hook(kind: Any, value: Any, traceback: Any) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            before(kind, value, traceback)

    sys.excepthook = hook
