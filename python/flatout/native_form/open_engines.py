"""Loaders of the engine that are open in this process: each is closed with the object it belongs to, and all before the interpreter goes.

Threads of the engine must have ended by then. A daemon thread of the program may still be asking for batches: Python stops such a
thread wherever it is, and so it stops here, without an error that nobody asked for.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLOSED = 3  # FLATOUT_CLOSED

_open = {}  # handle: what closes it
_ends: list[Any] = []  # the thread in which the interpreter comes to its end


def closer(owner: Any, close: Any, handle: Any) -> Any:
    """A weakref.finalize: to be called by who closes it, and with `owner` in any case."""
    _open[handle.value] = close
    finalizer = weakref.finalize(owner, _close, handle.value)
    finalizer.atexit = False  # type: ignore[misc]
    if _ends:  # it was opened while all were closed
        finalizer()
    return finalizer


def closed(why: str) -> Any:
    """To be raised; in a daemon thread that outlives the program it does not return."""
    if _ends and threading.get_ident() not in _ends:
        while True:
            time.sleep(3600)
    return ValueError(why)


def _close(handle: Any) -> None:
    close = _open.pop(handle, None)
    if close is not None:
        close(handle)


@atexit.register
def _close_all() -> None:
    _ends.append(threading.get_ident())
    for handle in list(_open):
        _close(handle)
