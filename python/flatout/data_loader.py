"""flatout.data.Loader: epochs of batches, by the engine's threads."""

from __future__ import annotations

import ctypes
import json
import threading
import weakref
from functools import partial
from typing import TYPE_CHECKING, Any, Iterator, Literal, NoReturn

import numpy

from flatout.data_arguments import Argument
from flatout.data_library import END, LoaderError, check, native
from flatout.native_form import open_engines

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="Loader")

__all__ = ["Loader"]

_MOST_EPOCH, _MOST_DRAWN = (1 << 32) - 1, (1 << 63) - 1
_DTYPES = {"float32": numpy.float32, "float16": numpy.float16, "bfloat16": numpy.uint16, "uint8": numpy.uint8}


class _Epoch:
    """One iteration. A batch with a bad file raises LoaderError, and the next call continues after it.

    Where another one has begun before its end it raises LoaderError, too: an end would look like that of the epoch.
    """

    def __init__(self, loader: Loader, turn: int) -> None:
        self._loader, self._turn = loader, turn
        self._over = False

    def __iter__(self) -> _Epoch:
        return self

    def __next__(self) -> Any:
        if self._over:
            raise StopIteration
        if self._loader._turn != self._turn:
            raise LoaderError("this iteration was broken off: another one of the same loader, or load_state_dict(), has begun since; "
                              "two at a time need two loaders, each of a batch() of its own")
        batch = self._loader._next()
        if batch is None:
            self._over = True
            self._loader._stop()
            raise StopIteration
        return batch


class Loader:
    """Epochs of (images, labels): float32 (batch, 3, height, width), or as dtype() says, and int64 (batch,), or as mix() says.

    Each iteration is the next epoch; `epoch` may be set before one. `samples`: of the whole set, of all ranks. `classes`: their names,
    in the order of the labels. len() is the number of batches of a whole epoch, on this rank; pad_to_bucket() has none. It belongs to the
    process that opened it, and does not pickle; any thread may use it, one at a time. It has one iteration at a time, too.
    """

    __module__ = "flatout.data"  # where users have it from

    epoch: int
    samples: int
    classes: list[str]

    def __init__(self, spec: dict[str, Any]) -> None:
        handle = ctypes.c_void_p()
        check(native.flatout_loader_open(json.dumps(spec).encode(), ctypes.byref(handle)))
        self._handle = handle
        self._close = open_engines.closer(self, native.flatout_loader_close, handle)
        self._texts = threading.RLock()  # the engine keeps one text of each kind; a finalizer may ask while it is held
        shape = (ctypes.c_int64 * 3)()
        native.flatout_loader_shape(handle, shape)
        self._shape = tuple(shape)
        self._dtype = numpy.dtype(_DTYPES[spec.get("dtype", "float32")])
        self.samples = native.flatout_loader_samples(handle)
        self.classes = [native.flatout_loader_class(handle, label).decode(errors="surrogateescape")
                        for label in range(native.flatout_loader_classes(handle))]
        self._batches = _batches(self.samples, spec)
        self._batch_size: int = spec["batch_size"]
        self.epoch = 0
        self._drawn = 0  # of the next epoch, where it is resumed
        self._begun: int | None = None  # the epoch that is under way
        self._turn = 0  # its iteration, counted
        self._on_device = False
        self._as_torch = False

    def __repr__(self) -> str:
        name = f"{type(self).__module__}.{type(self).__name__}"
        if not self._close.alive:
            return f"<{name}: closed>"
        batches = "" if self._batches is None else f"{self._batches} "
        return f"<{name}: {self.samples} samples, {batches}batches of {self._batch_size} an epoch, next epoch {self.epoch}>"

    def __len__(self) -> int:
        """Batches of a whole epoch, on this rank; fewer come of one that is resumed, or where a batch has no good sample.

        TypeError of documents in buckets (pad_to_bucket): how many batches they make depends on how many fall into each bucket.
        """
        if self._batches is None:
            raise TypeError("flatout.data: a loader of pad_to_bucket() has no len(): its batches depend on how many documents each bucket gets")
        return self._batches

    def __bool__(self) -> bool:
        """True, also where an epoch has no batch: as before it had a length."""
        return True

    def __iter__(self) -> Iterator[Any]:
        check(native.flatout_loader_resume(self._handle, Argument("iter", "epoch", self.epoch).whole(0, _MOST_EPOCH), self._drawn))
        self._drawn = 0
        self._stop()
        self._begun = self.epoch
        self.epoch += 1
        return _Epoch(self, self._turn)

    def _stop(self) -> None:
        """Whatever iteration is under way gives no more batches."""
        self._turn += 1
        self._begun = None

    def state_dict(self) -> dict[str, int]:
        """Where it stands, two numbers: also in the middle of an epoch, and for another number of ranks."""
        self._check_open()
        if self._begun is None:
            return {"epoch": self.epoch, "drawn": self._drawn}
        return {"epoch": self._begun, "drawn": native.flatout_loader_drawn(self._handle)}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """The next iteration goes on there; what it gives is what would have come without the interruption."""
        self._check_open()
        of = partial(Argument, "load_state_dict")
        told = of("state", state).state("epoch", "drawn")
        epoch, drawn = of("epoch", told["epoch"]).whole(0, _MOST_EPOCH), of("drawn", told["drawn"]).whole(0, _MOST_DRAWN)
        self._stop()
        self.epoch, self._drawn = epoch, drawn

    def _next(self) -> Any:
        handle = ctypes.c_void_p()
        status = native.flatout_loader_next(self._handle, ctypes.byref(handle))
        if status == END:
            return None
        check(status)
        return self._given_on_device(handle) if self._on_device else self._given(handle)

    def _given(self, handle: ctypes.c_void_p) -> Any:
        size = native.flatout_batch_size(handle)
        images = _array(handle, native.flatout_batch_data(handle), (size, *self._shape), self._dtype)
        labels: numpy.ndarray[Any, Any] = numpy.ctypeslib.as_array(
            ctypes.cast(native.flatout_batch_labels(handle), ctypes.POINTER(ctypes.c_int64)), (size,)).copy()
        targets, classes = native.flatout_batch_targets(handle), native.flatout_batch_classes(handle)
        if targets:
            labels = numpy.ctypeslib.as_array(ctypes.cast(targets, ctypes.POINTER(ctypes.c_float)), (size, classes)).copy()
        return images, labels

    def to(self: Self, device: object, arrays: Literal["torch", "dlpack"] | None = None) -> Self:
        """Batches go to a CUDA device, "cuda" or "cuda:1", while the program computes; before the first epoch. "cpu" changes nothing.

        arrays: "torch" gives torch's tensors there, "dlpack" flatout.data_device.DeviceArray, for any framework; where nothing is said, the
        first where the program has imported a torch that has CUDA. The copy runs on a stream of its own; the stream that is current
        when a batch is handed over waits for it. docs/data.md#to-the-device.
        """
        from flatout import data_device
        name = data_device.device_name(device)
        as_torch = data_device.torch_wanted(arrays)
        check(native.flatout_loader_to_device(self._handle, name.encode()))
        if name != "cpu":
            self._on_device, self._as_torch = True, as_torch
        return self

    def _given_on_device(self, handle: ctypes.c_void_p) -> Any:
        from flatout import data_device
        return data_device.arrays_of(handle, self._as_torch)

    def stats(self) -> dict[str, Any]:
        """Figures since it was opened: samples, batches, threads, nanoseconds by stage."""
        with self._texts:
            told = native.flatout_loader_stats(self._handle)
        self._check_open()
        figures: dict[str, Any] = json.loads(told)
        return figures

    def set_threads(self, threads: int) -> None:
        """So many threads from now on; 0 has the loader's own tuning choose them again. Changes no sample."""
        check(native.flatout_loader_set_threads(self._handle, Argument("set_threads", "threads", threads).whole(0, (1 << 31) - 1)))

    def close(self) -> None:
        """Ends its threads, also where another thread waits for a batch. Batches that were handed out stay as they are; what else is
        asked of it from now on is a ValueError."""
        self._close()

    def _check_open(self) -> None:
        if not self._close.alive:
            raise open_engines.closed("flatout.data: the loader is closed; make another one with batch()")

    def __reduce__(self) -> NoReturn:
        raise TypeError("flatout.data: an open loader belongs to its process, and is neither pickled nor copied: "
                        "pickle the description, and call batch() where it is used")


def _batches(samples: int, spec: dict[str, Any]) -> int | None:
    """Of a whole epoch: as epoch_order() of the engine shares samples out to ranks. None of buckets, which plan_buckets() shares out."""
    if "pad_to_bucket" in spec.get("tokens", {}):
        return None
    size, ranks = spec["batch_size"], spec.get("ranks", 1)
    own = samples // ranks if spec.get("drop_uneven") else -(-samples // ranks)
    return int(own // size if spec["drop_last"] else -(-own // size))


def _array(handle: ctypes.c_void_p, address: int, shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> numpy.ndarray[Any, Any]:
    """An array over the batch's memory, which frees the batch when the last view of it is gone."""
    size = int(numpy.prod(shape)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, native.flatout_batch_free, handle).atexit = False  # type: ignore[misc]
    made: numpy.ndarray[Any, Any] = numpy.frombuffer(memory, dtype).reshape(shape)  # type: ignore[call-overload]
    return made
