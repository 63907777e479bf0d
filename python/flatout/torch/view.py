"""What torch's iterators are given as the loader: the loader, but for a few attributes."""

from __future__ import annotations

import torch

from .fetching import Collate
from .indices import Indices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader


class View:
    """A DataLoader for reading, with `changes` in place of its own attributes."""

    def __init__(self, loader: DataLoader[Any], **changes: Any) -> None:
        self.__dict__.update(changes)
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def view_of(loader: DataLoader[Any], resume: Any, **changes: Any) -> View:
    """For a resumed epoch the seed of the workers is drawn elsewhere: that epoch drew its own when it began."""
    if resume is not None:
        changes["generator"] = torch.Generator()
    return View(loader, _index_sampler=Indices(loader, resume), collate_fn=Collate(loader.collate_fn, loader._auto_collation), **changes)
