"""What a dataset says against worker processes. Only looked at: none of its code runs."""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Iterator

_MOST_OBJECTS = 400
_MOST_ENTRIES = 64  # of a list or dict that is looked into
_MOST_FUNCTIONS = 64
_SHARED_MEMORY = "/dev/shm"

# Libraries whose objects hold a file or a connection that processes cannot share.
_HANDLES = ("h5py", "lmdb", "_sqlite3", "sqlite3", "zipfile", "tarfile", "socket", "tables", "rasterio", "netCDF4")
# Libraries whose iterable datasets divide their samples over workers themselves.
_SHARDING = ("datasets", "webdataset", "litdata", "streaming")


def is_iterable(loader: Any) -> Any:
    return loader._dataset_kind == 1


def why_no_workers(torch: ModuleType, loader: Any) -> str | None:
    """A reason not to give this loader its first workers, or None."""
    for value in _held(torch, loader.dataset):
        if type(value) in (torch.Tensor, torch.nn.Parameter) and value.is_cuda:
            return "the dataset holds CUDA tensors, which worker processes cannot use"
        if _is_handle(value):
            return "the dataset holds an open %s, which worker processes cannot share" % type(value).__name__
    return None


def why_no_room(torch: ModuleType, loader: Any, workers: Any, prefetch: Any) -> str | None:
    size = _batch_bytes(torch, loader)
    try:
        shared = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return None
    if size is None or workers * prefetch * size <= shared.f_bavail * shared.f_frsize:
        return None
    return "%s is too small for %d batches of %d bytes" % (_SHARED_MEMORY, workers * prefetch, size)


def _batch_bytes(torch: ModuleType, loader: Any) -> Any:
    """Where it stands in the dataset itself: a TensorDataset, or a part of one."""
    dataset = loader.dataset
    while isinstance(dataset, torch.utils.data.Subset):
        dataset = dataset.dataset
    size = loader.batch_size or getattr(loader.batch_sampler, "batch_size", None)
    if type(dataset) is not torch.utils.data.TensorDataset or type(size) is not int:
        return None
    return sum(tensor[0].numel() * tensor.element_size() for tensor in dataset.tensors if len(tensor)) * size


def _held(torch: ModuleType, dataset: Any) -> Iterator[Any]:
    """What the dataset and the datasets inside it hold, and the entries of its
    lists, tuples and dicts."""
    level = [dataset]
    seen: set[Any] = set()
    while level:
        below = []
        for item in level:
            if id(item) in seen or len(seen) > _MOST_OBJECTS:
                continue
            seen.add(id(item))
            for value in _values(item):
                for part in (value, *_entries(value)):
                    yield part
                    if isinstance(part, torch.utils.data.Dataset):
                        below.append(part)
        level = below


def _values(item: Any) -> list[Any]:
    try:
        return list(vars(item).values())
    except TypeError:
        return []


def _entries(value: Any) -> Any:
    if type(value) in (list, tuple):
        return value[:_MOST_ENTRIES]
    if type(value) is dict:
        return [entry for entry, _ in zip(value.values(), range(_MOST_ENTRIES))]
    return ()


def _is_handle(value: Any) -> bool:
    if isinstance(value, (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)):
        return not value.closed
    return type(value).__module__.partition(".")[0] in _HANDLES


def why_not_by_start_method(loader: Any) -> str | None:
    """Under fork a worker is a copy of this process. Otherwise it imports the main
    module anew and gets the dataset pickled. Pickling it for a trial would run the
    program's code and may take gigabytes, so what can be recognised by looking must do."""
    method = start_method(loader)
    if method == "fork":
        return None
    if not _main_may_be_imported():
        return "workers start by %s here, and the main module has no `if __name__` guard" % method
    for part in (loader.dataset, loader.collate_fn, loader.worker_init_fn, *_values(loader.dataset)):
        if part is not None and not _pickles_by_name(part):
            return "workers start by %s here, and %r cannot be pickled" % (method, _name(part))
    return None


def start_method(loader: Any) -> Any:
    if loader.multiprocessing_context is not None:
        return loader.multiprocessing_context.get_start_method()
    # Asking without allow_none would settle it for the program.
    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]


def _main_may_be_imported() -> bool:
    path: Any = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "__name__" in file.read(1 << 20)
    except (OSError, TypeError):
        return False


def _name(part: Any) -> Any:
    return getattr(part, "__qualname__", None) or type(part).__qualname__


def _pickles_by_name(part: Any) -> bool:
    """A function by its own name, any other object by its class's."""
    named = part if isinstance(part, (types.FunctionType, types.BuiltinFunctionType, type)) else type(part)
    found: Any = sys.modules.get(getattr(named, "__module__", None))  # type: ignore[arg-type]
    for name in named.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is named


def shards_by_worker(torch: ModuleType, loader: Any) -> bool:
    """True where the IterableDataset gives each worker samples of its own, as far
    as its code tells: it, what it calls in its class and module, or worker_init_fn
    asks for get_worker_info."""
    if _mentions_worker_info(loader.worker_init_fn, None):
        return True
    seen = set()
    dataset = loader.dataset
    while isinstance(dataset, torch.utils.data.IterableDataset) and id(dataset) not in seen:
        seen.add(id(dataset))
        if isinstance(dataset, getattr(torch.utils.data, "IterDataPipe", ())):
            return _has_sharding_filter(dataset)
        kind = type(dataset)
        if any(base.__module__.partition(".")[0] in _SHARDING for base in kind.__mro__):
            return True
        if _mentions_worker_info(getattr(kind, "__iter__", None), kind):
            return True
        dataset = getattr(dataset, "dataset", None)  # accelerate and transformers wrap one around it
    return False


def _has_sharding_filter(pipe: Any) -> bool:
    """DataLoader divides a datapipe at its sharding_filter, and only there."""
    level = [pipe]
    seen: set[Any] = set()
    while level:
        item = level.pop()
        if id(item) in seen or len(seen) > _MOST_OBJECTS:
            continue
        seen.add(id(item))
        if hasattr(type(item), "apply_sharding"):
            return True
        for value in _values(item):
            level.extend(part for part in (value, *_entries(value)) if hasattr(part, "__dict__"))
    return False


def _mentions_worker_info(function: Any, kind: Any) -> bool:
    """`get_worker_info` among the names of this function, or of one that it names."""
    todo = [function]
    seen: set[Any] = set()
    while todo and len(seen) < _MOST_FUNCTIONS:
        function = todo.pop()
        code = getattr(function, "__code__", None)
        if code is None or code in seen:
            continue
        seen.add(code)
        names = _names(code)
        if "get_worker_info" in names:
            return True
        for name in names:
            todo.append(getattr(kind, name, None))
            todo.append(getattr(function, "__globals__", {}).get(name))
        todo.append(getattr(function, "__wrapped__", None))
    return False


def _names(code: Any) -> Any:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
