"""dataloader.prefetch_factor: how many batches each worker works ahead.

Needs workers, the program's own or the plan's, and room in /dev/shm for all
batches where their size is known.
Set: DataLoader.prefetch_factor. Undone: as it was.
Draws: none.
"""

from __future__ import annotations

from . import datasets
from .put import put
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class PrefetchFactor(OfTable):
    id = "dataloader.prefetch_factor"
    attribute = "prefetch_factor"

    @staticmethod
    def refused(torch: ModuleType, loader: Any, value: Any) -> str | None:
        if loader.num_workers == 0:
            return "the loader has no workers"
        return datasets.why_no_room(torch, loader, loader.num_workers, value)

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        put(loader, "prefetch_factor", value)
