"""dataloader.num_workers: how many processes fetch batches, 0 = the training process itself.

Needs, to start workers where the program had none: a dataset without CUDA tensors
and without open files or connections, room in /dev/shm where the size of a batch
is known, and where workers do not start by fork, a main module that may be
imported again and parts that pickle by name. An IterableDataset must divide its
samples over the workers, else each would be drawn once a worker.
Set: DataLoader.num_workers; with the first workers prefetch_factor becomes 2, as
in the constructor; with none, prefetch_factor, persistent_workers and timeout
become what the constructor demands. The start method stays the program's.
Undone: all four as they were.
Draws: workers have random streams of their own, so what a dataset draws while it
fetches differs; a map dataset that draws nothing gives the same batches in the
same order. An IterableDataset's samples come in another order.
"""

from __future__ import annotations

from . import datasets
from .put import put
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class NumWorkers(OfTable):
    id = "dataloader.num_workers"
    attribute = "num_workers"

    @staticmethod
    def refused(torch: ModuleType, loader: Any, value: Any) -> str | None:
        own = loader.num_workers
        if value == own:
            return None
        if value == 0:
            return "worker_init_fn would not run" if loader.worker_init_fn is not None else None
        if max(value, own) > 1 and _undivided(torch, loader):
            return "the IterableDataset does not divide its samples over workers, each would be drawn %d times" % value
        if own == 0:
            reason = datasets.why_no_workers(torch, loader) or datasets.why_not_by_start_method(loader)
            if reason is not None:
                return reason
        return datasets.why_no_room(torch, loader, value, loader.prefetch_factor or 2) if value > own else None

    @staticmethod
    def most(torch: ModuleType, loader: Any) -> int | None:
        """The largest number that is not refused for its size, None = not known. One worker draws an undivided
        stream as the program itself does, only ahead of it."""
        return 1 if loader.num_workers <= 1 and _undivided(torch, loader) else None

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        put(loader, "num_workers", value)
        if value > 0 and loader.prefetch_factor is None:
            put(loader, "prefetch_factor", 2)
        if value == 0:
            put(loader, "prefetch_factor", None)
            put(loader, "persistent_workers", False)
            put(loader, "timeout", 0)


def _undivided(torch: ModuleType, loader: Any) -> bool:
    return datasets.is_iterable(loader) and not datasets.shards_by_worker(torch, loader)
