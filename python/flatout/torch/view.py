"""What torch's iterators are given as the loader: the loader, but for a few attributes."""

import torch

from .fetching import Collate
from .indices import Indices


class View:
    """A DataLoader for reading, with `changes` in place of its own attributes."""

    def __init__(self, loader, **changes):
        self.__dict__.update(changes)
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)


def view_of(loader, resume, **changes):
    """For a resumed epoch the seed of the workers is drawn elsewhere: that epoch drew its own when it began."""
    if resume is not None:
        changes["generator"] = torch.Generator()
    return View(loader, _index_sampler=Indices(loader, resume), collate_fn=Collate(loader.collate_fn, loader._auto_collation), **changes)
