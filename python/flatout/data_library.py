"""The loading engine's library, libflatout_data.so, and its errors: what flatout.data and flatout.data_arrays call."""

import ctypes
import os
import pathlib

from flatout.native_form.open_engines import CLOSED, closed

__all__ = ["END", "ArrayFacts", "LoaderError", "Progress", "check", "native"]

OK, END = 0, 2


class LoaderError(RuntimeError):
    """What the engine said; the next batch can still be asked for."""

    __module__ = "flatout.data"  # where users have it from


class ArrayFacts(ctypes.Structure):
    """flatout_array: what and where an array of a batch is."""
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("data", ctypes.c_void_p), ("axes", ctypes.c_int64),
                ("shape", ctypes.c_int64 * 8)]


def _library():
    path = os.environ.get("FLATOUT_DATA_LIBRARY") or _beside()
    library = ctypes.CDLL(str(path))
    pointer, whole, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
    for name, result, arguments in (
            ("flatout_data_error", text, []),
            ("flatout_loader_open", ctypes.c_int, [text, pointer]),
            ("flatout_loader_open_files", ctypes.c_int, [text, pointer, pointer, whole, pointer]),
            ("flatout_loader_close", None, [pointer]),
            ("flatout_loader_samples", whole, [pointer]),
            ("flatout_loader_classes", whole, [pointer]),
            ("flatout_loader_class", text, [pointer, whole]),
            ("flatout_loader_shape", None, [pointer, pointer]),
            ("flatout_loader_begin", ctypes.c_int, [pointer, ctypes.c_uint32, pointer, whole]),
            ("flatout_loader_resume", ctypes.c_int, [pointer, ctypes.c_uint32, whole]),
            ("flatout_loader_drawn", whole, [pointer]),
            ("flatout_loader_next", ctypes.c_int, [pointer, pointer]),
            ("flatout_loader_set_threads", ctypes.c_int, [pointer, ctypes.c_int]),
            ("flatout_loader_stats", text, [pointer]),
            ("flatout_loader_to_device", ctypes.c_int, [pointer, text]),
            ("flatout_batch_size", whole, [pointer]),
            ("flatout_batch_data", pointer, [pointer]),
            ("flatout_batch_labels", pointer, [pointer]),
            ("flatout_batch_targets", pointer, [pointer]),
            ("flatout_batch_classes", whole, [pointer]),
            ("flatout_batch_arrays", whole, [pointer]),
            ("flatout_batch_array", ctypes.c_int, [pointer, whole, pointer]),
            ("flatout_batch_device", whole, [pointer]),
            ("flatout_batch_wait", ctypes.c_int, [pointer, pointer]),
            ("flatout_batch_used_unseen", None, [pointer]),
            ("flatout_batch_dlpack", ctypes.c_int, [pointer, whole, pointer]),
            ("flatout_batch_capsule_end", pointer, [pointer, pointer]),
            ("flatout_batch_free", None, [pointer]),
            ("flatout_pack", ctypes.c_int, [text, pointer, pointer, pointer])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _beside():
    """Where it lies in a copied tree, an installation or a build folder: lib/ above this package."""
    here = pathlib.Path(__file__).resolve()
    for folder in here.parents[1:4]:
        for path in (folder / "libflatout_data.so.0", folder / "build/release/lib/libflatout_data.so.0"):
            if path.exists():
                return path
    raise ImportError("flatout.data: libflatout_data.so.0 was not found; name it in FLATOUT_DATA_LIBRARY")


native = _library()
Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def check(status):
    """LoaderError with the engine's reason; ValueError of a loader that is closed."""
    if status != OK:
        why = native.flatout_data_error().decode(errors="replace")
        raise closed(why) if status == CLOSED else LoaderError(why)
