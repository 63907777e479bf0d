"""dataloader.persistent_workers: workers live on from one epoch to the next.

Needs workers, the program's own or the plan's, and a dataset without set_epoch():
workers hold a copy of the dataset, and one that persists would not see the new epoch.
Before each further epoch the dataset and collate_fn are compared with what they were
when the workers began (fingerprint.py); once they differ, the loader starts its
workers anew from then on, as without the knob.
Set: DataLoader.persistent_workers, past its __setattr__, which lets nobody change
it later; DataLoader.__iter__ reads it anew each time. Undone: as it was, and the
iterator that was kept is dropped, which ends its workers.
Draws: a new iterator draws a base seed from the loader's generator, one that is
kept does not; that draw is made all the same, so that later epochs are shuffled
as without the knob. What a dataset draws in a worker differs from the second epoch
on, because workers go on in their random streams. For false, where the program's
own workers persist, each epoch draws one number more.
"""

from __future__ import annotations

from ..core.fields import ByIdentity
from .fingerprint import fingerprint
from .put import put
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


_CHANGES = "the program changes its dataset between epochs, and workers that persist would not see it"


class PersistentWorkers(OfTable):
    id = "dataloader.persistent_workers"
    attribute = "persistent_workers"

    @staticmethod
    def refused(torch: ModuleType, loader: Any, value: Any) -> str | None:
        if value and loader.num_workers == 0:
            return "the loader has no workers"
        if value and not loader.persistent_workers and hasattr(type(loader.dataset), "set_epoch"):
            return "the dataset has set_epoch(), which workers that persist would not see"
        if value and not loader.persistent_workers and _has_changed(torch, loader):
            return _CHANGES
        return None

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        put(loader, "persistent_workers", value)


_begun = ByIdentity()  # loader -> fingerprint of when its workers began, _CHANGES once it has differed


def _has_changed(torch: ModuleType, loader: Any) -> bool:
    before = _begun.get(loader)
    if before is _CHANGES:
        return True
    now = fingerprint(torch, (loader.dataset, loader.collate_fn, loader.worker_init_fn))
    if getattr(loader, "_iterator", None) is None:
        _begun.set(loader, now)
        return False
    if before is None or now is None or before == now:
        return False
    _begun.set(loader, _CHANGES)
    return True


def draw_what_is_missing(torch: ModuleType, loader: Any) -> None:
    """The base seed that a new iterator would draw, where the loader will go on
    with the one that it keeps (as in _BaseDataLoaderIter.__init__)."""
    if loader.persistent_workers and loader.num_workers > 0 and getattr(loader, "_iterator", None) is not None:
        torch.empty((), dtype=torch.int64).random_(generator=loader.generator)
