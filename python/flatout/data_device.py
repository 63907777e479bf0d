"""Batches in a CUDA device's memory, as DLPack hands them to any framework: what Loader.to("cuda") gives."""

from __future__ import annotations

import ctypes
import sys
import weakref
from typing import Any, Literal

from flatout.data_arguments import Argument
from flatout.data_library import ArrayFacts, check, native

__all__ = ["DeviceArray", "arrays_of", "device_name", "torch_wanted"]

CUDA = 2  # DLPack's number of that kind of device
LEGACY_STREAM = 1
NO_STREAM = -1  # the consumer says that it looks after the order by itself

_CAPSULE = b"dltensor"  # until a consumer takes it, who then renames it


def _of_python(name: str, result: Any, *arguments: Any) -> Any:
    """A function object of our own: what others say of ctypes.pythonapi's arguments does not change it."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_capsule_new = _of_python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


def _end_of_capsules() -> Any:
    """What a capsule that nobody took calls. Native, since it may be called while an error is under way, when no Python can run."""
    address = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in ("PyCapsule_IsValid", "PyCapsule_GetPointer")]
    return native.flatout_batch_capsule_end(*address)


_end = _end_of_capsules()


class _Batch:
    """One batch; freed when the last of its arrays is gone. What was handed out by DLPack lives on."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.handle = handle
        self.number: int = native.flatout_batch_device(handle)
        weakref.finalize(self, native.flatout_batch_free, handle).atexit = False  # type: ignore[misc]


class DeviceArray:
    """An array of a batch on a device: for torch.from_dlpack, jax.dlpack.from_dlpack, cupy.from_dlpack.

    `name`, `shape`, `dtype` (a name, "bfloat16" among them), `device` ("cuda:0"), and `address`, for kernels of one's own behind wait().
    len() is that of the first axis. Its memory is the batch's, which lives until the last array over it is gone; any thread may use it.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    address: int
    device: str

    def __init__(self, batch: _Batch, number: int) -> None:
        facts = ArrayFacts()
        check(native.flatout_batch_array(batch.handle, number, ctypes.byref(facts)))
        self._batch, self._number = batch, number
        self.name, self.dtype = facts.name.decode(), facts.type.decode()
        self.shape, self.address = tuple(facts.shape[:facts.axes]), facts.data
        self.device = f"cuda:{batch.number}"

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{self.name}: {self.dtype} {self.shape} on {self.device}>"

    def wait(self, stream: int) -> None:
        """What the stream (its address as a number) is given from now on comes behind the batch's copy; the host goes on. The memory is
        used again behind what the stream was given until the last array over it was gone."""
        check(native.flatout_batch_wait(self._batch.handle, stream))

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self._batch.number

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> Any:
        if copy:
            raise BufferError("flatout.data: a batch on a device is handed out as it is; copy it there")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"flatout.data: the batch is on {self.device}, and goes to no other device")
        if stream == 0:
            raise BufferError("flatout.data: stream 0 may be two streams; name 1 (the legacy default one) or 2 (the thread's)")
        managed = ctypes.c_void_p()
        check(native.flatout_batch_dlpack(self._batch.handle, self._number, ctypes.byref(managed)))
        capsule = _capsule_new(managed, _CAPSULE, _end)
        if stream == NO_STREAM:
            native.flatout_batch_used_unseen(self._batch.handle)
        else:
            self.wait(LEGACY_STREAM if stream is None else stream)
        return capsule


def device_name(device: object) -> str:
    """"cuda:1" of what torch takes for a device: a name, a number, a torch.device. "cuda" is torch's current one, where torch has one."""
    name = f"cuda:{device}" if isinstance(device, int) else str(device)
    torch = sys.modules.get("torch")
    if name == "cuda" and torch is not None and torch.cuda.is_initialized():
        return f"cuda:{torch.cuda.current_device()}"
    return name


def torch_wanted(arrays: Literal["torch", "dlpack"] | None) -> bool:
    """Whether batches are to be torch's tensors: asked for, or the program has imported a torch that has CUDA."""
    if arrays is not None:
        Argument("to", "arrays", arrays).word("torch", "dlpack")
    torch = sys.modules.get("torch")
    return arrays == "torch" or (arrays is None and torch is not None and bool(torch.cuda.is_available()))


def arrays_of(handle: ctypes.c_void_p, as_torch: bool) -> tuple[Any, ...]:
    """The arrays of a batch on a device, which takes the handle over."""
    batch = _Batch(handle)
    arrays = [DeviceArray(batch, number) for number in range(native.flatout_batch_arrays(handle))]
    if as_torch:
        import torch
        return tuple(torch.from_dlpack(array) for array in arrays)  # which lets torch's current stream wait
    return tuple(arrays)
