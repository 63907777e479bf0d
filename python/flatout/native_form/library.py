"""libflatout_data.so, the loading engine of flatout/data.h: where it lies, and its functions. The one binding that Python has.

native_form/engine.py makes tensors of its batches, flatout.data and its neighbours NumPy's and DLPack's arrays.
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OK, END = 0, 2
_NAME = "libflatout_data.so.0"


class Missing(Exception):
    """There is no such library here; its text is one clause."""


class Bad(Exception):
    """The engine could not make a batch; its text names the sample and the file."""


_loaded: list[Any] = []


def library() -> Any:
    """Loaded once in a process."""
    if not _loaded:
        _loaded.append(_declared(_open()))
    return _loaded[0]


def _open() -> Any:
    for path in _paths():
        if os.path.exists(path) or os.sep not in path:  # a bare name is the loader's to find
            try:
                return ctypes.CDLL(path)
            except OSError as error:
                raise Missing("the native engine cannot be loaded: %s" % (error,))
    if not os.path.isdir(os.path.dirname(os.path.abspath(__file__))):
        raise Missing("the native engine cannot be loaded from within a zip file; install flatout's wheel into a folder (pip install --target DIR), or have the file unpacked first")
    raise Missing("the native engine, %s, is not installed; name it in FLATOUT_DATA_LIBRARY" % (_paths()[0] if os.environ.get("FLATOUT_DATA_LIBRARY") else _NAME,))


def _paths() -> list[Any]:
    named = os.environ.get("FLATOUT_DATA_LIBRARY")
    if named:
        return [named]
    # flatout/native_form of a wheel, lib/flatout/hooks/native_form beside a program, or python/flatout/native_form in a checkout.
    # Where the files are links, the library lies beside either end of them.
    files = dict.fromkeys((os.path.abspath(__file__), os.path.realpath(__file__)))
    return [os.sep.join([*os.path.dirname(file).split(os.sep)[:-up], *below, _NAME])
            for file in files for up, below in ((1, ("_prefix", "lib")), (3, ()), (3, ("build", "release", "lib")))]  # fmt: skip


def _declared(native: Any) -> Any:
    pointer, whole, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
    for name, result, arguments in (
        ("flatout_data_error", text, []),
        ("flatout_loader_open", ctypes.c_int, [text, pointer]),
        ("flatout_loader_open_files", ctypes.c_int, [text, pointer, pointer, whole, pointer]),
        ("flatout_loader_open_blobs", ctypes.c_int, [text, pointer, whole, pointer, pointer, whole, pointer]),
        ("flatout_loader_close", None, [pointer]),
        ("flatout_loader_samples", whole, [pointer]),
        ("flatout_loader_name", text, [pointer, whole]),
        ("flatout_loader_classes", whole, [pointer]),
        ("flatout_loader_class", text, [pointer, whole]),
        ("flatout_loader_shape", None, [pointer, pointer]),
        ("flatout_loader_begin", ctypes.c_int, [pointer, ctypes.c_uint32, pointer, whole]),
        ("flatout_loader_resume", ctypes.c_int, [pointer, ctypes.c_uint32, whole]),
        ("flatout_loader_drawn", whole, [pointer]),
        ("flatout_loader_append", ctypes.c_int, [pointer, pointer, whole]),
        ("flatout_loader_passed", ctypes.c_int, [pointer, pointer, whole]),
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
        ("flatout_batch_bad", whole, [pointer]),
        ("flatout_batch_bad_place", whole, [pointer, whole]),
        ("flatout_batch_bad_reason", text, [pointer, whole]),
        ("flatout_batch_device", whole, [pointer]),
        ("flatout_batch_wait", ctypes.c_int, [pointer, pointer]),
        ("flatout_batch_used_unseen", None, [pointer]),
        ("flatout_batch_dlpack", ctypes.c_int, [pointer, whole, pointer]),
        ("flatout_batch_capsule_end", pointer, [pointer, pointer]),
        ("flatout_batch_free", None, [pointer]),
        ("flatout_pack", ctypes.c_int, [text, pointer, pointer, pointer]),
    ):
        function = getattr(native, name)
        function.restype, function.argtypes = result, arguments
    return native
