"""The loading engine's library, libflatout_data.so, and its errors: what flatout.data and its neighbours call."""

from __future__ import annotations

import ctypes

from flatout.native_form.library import END, OK, Missing, library
from flatout.native_form.open_engines import CLOSED, closed

__all__ = ["END", "ArgumentError", "ArgumentTypeError", "ArrayFacts", "LoaderError", "Progress", "check", "native"]


class LoaderError(RuntimeError):
    """What the engine said; the next batch can still be asked for."""

    __module__ = "flatout.data"  # where users have it from


class ArgumentError(LoaderError, ValueError):
    """An argument has a value that flatout.data does not take; the text names the call, the argument and the value."""

    __module__ = "flatout.data"


class ArgumentTypeError(LoaderError, TypeError):
    """An argument is of a type that flatout.data does not take; the text names the call, the argument and the value."""

    __module__ = "flatout.data"


class ArrayFacts(ctypes.Structure):
    """flatout_array: what and where an array of a batch is."""

    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("data", ctypes.c_void_p), ("axes", ctypes.c_int64),
                ("shape", ctypes.c_int64 * 8)]


def _library() -> ctypes.CDLL:
    try:
        loaded: ctypes.CDLL = library()
        return loaded
    except Missing as error:
        raise ImportError(f"flatout.data: {error}") from None


native = _library()
Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def check(status: int) -> None:
    """LoaderError with the engine's reason; ValueError of a loader that is closed."""
    if status != OK:
        why = native.flatout_data_error().decode(errors="replace")
        raise closed(why) if status == CLOSED else LoaderError(why)
