"""Which line of the user's program called into a library."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LIBRARIES = ("torch", "torchvision", "torchdata", "lightning", "pytorch_lightning", "lightning_fabric",
              "lightning_utilities", "transformers", "trl",
              "accelerate", "timm", "ignite", "fastai", "datasets", "composer", "webdataset")


def user_line() -> Any:
    """"/abs/train.py:41" of the innermost frame outside libraries, or None."""
    at = user_place()
    return None if at is None else line_of(at)


def user_place() -> tuple[Any, Any] | None:
    """(file, line) of the innermost frame outside libraries, or None.

    A frame is a library's when its module's first name is a known library's.
    Called from a callback of a Span, so the frames of interest are the callers.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = _package(frame)
        file = frame.f_code.co_filename
        if name not in ("_flatout_hooks", "flatout") and name not in _LIBRARIES and not file.startswith("<"):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def is_own(frame: Any) -> bool:
    """The program's own code: of no library, neither a known one nor one that is installed."""
    file = frame.f_code.co_filename
    return _package(frame) not in ("_flatout_hooks", "flatout", *_LIBRARIES) and not file.startswith("<") and not _installed(file)


def line_of(place: Any) -> str:
    return "%s:%d" % (os.path.abspath(place[0]), place[1])


def last_user_line(traceback: Any) -> Any:
    """"/abs/train.py:50" of the innermost frame outside libraries that an exception passed, or None."""
    last = None
    while traceback is not None:
        frame = traceback.tb_frame
        file = frame.f_code.co_filename
        if _package(frame) not in _LIBRARIES and not file.startswith("<") and not _installed(file):
            last = "%s:%d" % (os.path.abspath(file), traceback.tb_lineno)
        traceback = traceback.tb_next
    return last


def user_line_of(file: str, number: str) -> str | None:
    """The same of a place in a text, or None where it lies in a library."""
    if file.startswith("<") or _installed(file) or not number.isdigit():
        return None
    return "%s:%s" % (os.path.abspath(file), number)


def _installed(file: Any) -> bool:
    return file.startswith(os.path.dirname(os.__file__) + os.sep) or "site-packages" in file or "dist-packages" in file


def calling_library() -> Any:
    """The library whose code made the call that a Span stands for, or None."""
    frame: Any = sys._getframe(1)
    while frame is not None and _package(frame) == "_flatout_hooks":
        frame = frame.f_back
    name = None if frame is None else _package(frame)
    return name if name in _LIBRARIES else None


def _package(frame: Any) -> Any:
    return (frame.f_globals.get("__name__") or "").partition(".")[0]
