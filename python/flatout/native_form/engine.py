"""An open loader of the engine, whose batches are torch's tensors."""

from __future__ import annotations

import ctypes
import json
import os
import threading
import weakref

from . import open_engines
from .library import END, OK, Bad, library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class Engine:
    """One open loader; its threads end with it. `samples`: (path, label) of each, or Blobs; None: those of the spec's shards."""

    def __init__(self, torch: ModuleType, spec: dict[str, Any], samples: Any) -> None:
        self.torch = torch
        self.native = library()
        self.process = os.getpid()
        self.lock = threading.RLock()  # the collector may run while it is held, and a finalizer may ask for the same
        self.handle = ctypes.c_void_p()
        # The DataLoader around it is what a run sees; its hooks report the engine too.
        self._check(self._open(json.dumps({**spec, "tell_run": False}).encode(), samples))
        open_engines.closer(self, self.native.flatout_loader_close, self.handle)
        shape = (ctypes.c_int64 * 3)()
        self.native.flatout_loader_shape(self.handle, shape)
        self.shape = tuple(shape)
        self.dtype = torch.uint8 if spec["dtype"] == "uint8" else torch.float32
        self.classes = spec["classes"] if "mix" in spec else 0
        self.sample_bytes = shape[0] * shape[1] * shape[2] * (1 if self.dtype is torch.uint8 else 4)

    def _open(self, spec: bytes, samples: Any) -> Any:
        if samples is None:
            return self.native.flatout_loader_open(spec, ctypes.byref(self.handle))
        if hasattr(samples, "places"):
            files = (ctypes.c_char_p * len(samples.paths))(*map(os.fsencode, samples.paths))
            return self.native.flatout_loader_open_blobs(spec, files, len(files), samples.places.ctypes.data, samples.labels.ctypes.data,
                                                         len(samples), ctypes.byref(self.handle))  # fmt: skip
        paths = (ctypes.c_char_p * len(samples))(*(os.fsencode(path) for path, _label in samples))
        labels = (ctypes.c_int64 * len(samples))(*(label for _path, label in samples))
        return self.native.flatout_loader_open_files(spec, paths, labels, len(samples), ctypes.byref(self.handle))

    def samples(self) -> Any:
        return self.native.flatout_loader_samples(self.handle)

    def name(self, sample: Any) -> Any:
        with self.lock:
            name = self.native.flatout_loader_name(self.handle, sample)
        return os.fsdecode(name)

    def begin(self, epoch: int) -> None:
        """Without an order: append() gives it, batch by batch."""
        none = (ctypes.c_int64 * 1)()  # NULL would stand for the whole set
        self._check(self.native.flatout_loader_begin(self.handle, epoch, none, 0))

    def append(self, indices: Any) -> None:
        self._check(self.native.flatout_loader_append(self.handle, (ctypes.c_int64 * len(indices))(*indices), len(indices)))

    def passed(self, indices: Any) -> None:
        """As if they had been appended and handed over in this epoch."""
        self._check(self.native.flatout_loader_passed(self.handle, (ctypes.c_int64 * len(indices))(*indices), len(indices)))

    def stats(self) -> Any:
        """{} at the end of the process, once it is closed."""
        with self.lock:  # its text is the engine's until the next call
            text = self.native.flatout_loader_stats(self.handle)
        return {} if text is None else json.loads(text)

    def next(self) -> list[Any]:
        """[pictures, labels], as default_collate gives them; the pictures' memory is the engine's. Where the spec has "mix", labels are
        shares of the classes, float32. Where it has bad samples marked, `bad` has (place in the batch, why) of each."""
        batch = ctypes.c_void_p()
        status = self.native.flatout_loader_next(self.handle, ctypes.byref(batch))
        if status == END:
            raise Bad("the epoch has no further batch")
        self._check(status)
        size = self.native.flatout_batch_size(batch)
        memory = (ctypes.c_char * (size * self.sample_bytes)).from_address(self.native.flatout_batch_data(batch))
        labels = self._labels(batch, size)
        native = self.native
        self.bad = [(native.flatout_batch_bad_place(batch, number), native.flatout_batch_bad_reason(batch, number).decode(errors="replace"))
                    for number in range(native.flatout_batch_bad(batch))]  # fmt: skip
        # The tensor holds `memory`; the batch goes back to the engine with its last view.
        weakref.finalize(memory, self.native.flatout_batch_free, batch).atexit = False  # type: ignore[misc]
        return [self.torch.frombuffer(memory, dtype=self.dtype).view(size, *self.shape), labels]

    def _labels(self, batch: Any, size: int) -> Any:
        torch = self.torch
        if self.classes:
            shares = (ctypes.c_float * (size * self.classes)).from_address(self.native.flatout_batch_targets(batch))
            return torch.frombuffer(shares, dtype=torch.float32).view(size, self.classes).clone()
        labels = (ctypes.c_int64 * size).from_address(self.native.flatout_batch_labels(batch))
        return torch.frombuffer(labels, dtype=torch.int64).clone()

    def _check(self, status: Any) -> None:
        if status != OK:
            why = self.native.flatout_data_error().decode(errors="replace")
            raise open_engines.closed(why) if status == open_engines.CLOSED else Bad(why)
