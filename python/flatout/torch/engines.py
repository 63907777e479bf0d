"""Iterators for a loader, by engine. `make` begins an epoch or goes on in one, `make_behind` begins the one after a finished."""

from __future__ import annotations

from .fetching import ITERABLE
from .in_process import InProcessIterator
from .processes import ProcessesIterator
from .threads import ThreadsIterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader


def check_prefetch(loader: DataLoader[Any], engine: Any) -> None:
    """torch takes prefetch_factor=0, and its iterator with workers refuses it: with this error."""
    if loader.num_workers > 0 and (loader.prefetch_factor or 0) <= 0:
        raise AssertionError("prefetch_factor must be greater than 0 for engine=%r with num_workers > 0" % engine)


class Torch:
    engine = "torch"

    def __init__(self, loader: DataLoader[Any]) -> None:
        self.workers = loader.num_workers  # that hold a part of the state

    def figures(self) -> None:
        return None

    def make(self, loader: DataLoader[Any], place: Any = None) -> Any:
        if loader.num_workers == 0:
            return InProcessIterator(loader, place)
        loader.check_worker_number_rationality()
        return ProcessesIterator(loader, place)

    def make_behind(self, loader: DataLoader[Any], place: Any) -> Any:
        if loader.num_workers == 0:
            # The finished epoch's iterator is restored first: a dataset's state may say which epoch follows.
            InProcessIterator(loader, place)
            return InProcessIterator(loader)
        if not loader.persistent_workers:
            return self.make(loader)  # new workers begin with the dataset as it is in this process
        iterator = self.make(loader, place)
        iterator._reset(loader)
        return iterator


class Threads:
    engine = "threads"
    workers = 0

    def __init__(self, loader: DataLoader[Any]) -> None:
        if loader._dataset_kind == ITERABLE:
            raise ValueError("engine='threads' reads map-style datasets; an IterableDataset has one place at a time: use engine='torch'")
        if loader.multiprocessing_context is not None:
            raise ValueError("engine='threads' starts no processes: leave multiprocessing_context unset")

    def figures(self) -> None:
        return None

    def make(self, loader: DataLoader[Any], place: Any = None) -> Any:
        check_prefetch(loader, self.engine)
        return InProcessIterator(loader, place) if loader.num_workers == 0 else ThreadsIterator(loader, place)

    def make_behind(self, loader: DataLoader[Any], place: Any) -> Any:
        if loader.num_workers == 0:
            return Torch.make_behind(self, loader, place)  # type: ignore[arg-type]
        if not loader.persistent_workers:
            return self.make(loader)
        iterator = self.make(loader, place)
        iterator._reset(loader)  # workers that persist draw no new seed
        return iterator
