"""dataloader.pin_memory: batches in page-locked memory, from which copies to the device are faster.

Needs a CUDA device. The program's copies stay blocking where it makes them so:
dataloader.non_blocking changes them.
Set: DataLoader.pin_memory. Undone: as it was.
Draws: none.
"""

from __future__ import annotations

from .put import put
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class PinMemory(OfTable):
    id = "dataloader.pin_memory"
    attribute = "pin_memory"

    @staticmethod
    def refused(torch: ModuleType, _loader: object, value: Any) -> str | None:
        # DataLoader asks the same when it pins, so this starts nothing that it would not.
        if value and not torch.cuda.is_available():
            return "there is no CUDA device here"
        return None

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        put(loader, "pin_memory", value)
