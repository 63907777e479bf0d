"""dataloader.cache: what the loading engine keeps of a training loader's samples in memory.

"encoded": files as they are; "decoded": whole pictures; "none": nothing. The same samples, to the last bit.
Needs a loader whose batches the engine makes (dataloader.engine), and more than 1 GiB of free
memory: half of what is above that is the cache's, shared among the ranks of a machine.
Set: the loader's engine is opened anew with the cache, before its first epoch.
Undone: with dataloader.engine; what was kept is given back.
Draws: none.
"""

from __future__ import annotations

from ..native_form.caching import described
from ..native_form.library import Bad
from .engine import LoadingEngine
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class Cache(OfTable):
    id = "dataloader.cache"
    attribute = None
    own = "none"

    @staticmethod
    def refused(torch: ModuleType, loader: Any, value: Any) -> str | None:
        if value == "none":
            return None
        engines = LoadingEngine.engines_of(loader)
        if engines is None:
            return "the loader's batches are not made by the native engine"
        try:
            engines.keep(described(value))
        except Bad as error:
            return str(error)
        if engines.room_bytes() == 0:
            engines.keep(None)
            return "less than 1 GiB of memory is free"
        return None

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        if value == "none":
            Cache.undo(loader)

    @staticmethod
    def undo(loader: Any) -> None:
        if LoadingEngine.engines_of(loader) is not None:
            LoadingEngine.engines_of(loader).keep(None)
