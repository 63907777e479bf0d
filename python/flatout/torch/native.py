"""engine="native" and "auto": flatout's own engine makes the batches of what has a native form."""

from __future__ import annotations

import torch

from ..native_form import caching, form_of
from ..native_form.engines import Engines, check
from ..native_form.refused import Refused
from ..native_form.library import Bad, Missing, library
from . import engines
from .fetching import ITERABLE
from .stateful import has_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader

_FIRST = 1000


class Native:
    engine = "native"
    workers = 0  # that hold a part of the state

    def __init__(self, loader: DataLoader[Any]) -> None:
        """Refused, Missing or Bad where it cannot make this loader's batches, as far as the first files tell: there may be millions."""
        self._engines: Any = None
        self._closed: dict[Any, Any] = {}  # figures of engines that are no more
        library()
        check(torch, self._form(loader, looked_at=_FIRST))

    @staticmethod
    def _form(loader: DataLoader[Any], looked_at: int | None = None) -> Any:
        if loader._dataset_kind == ITERABLE:
            raise Refused("the dataset is an iterable one")
        if has_state(loader.dataset):
            raise Refused("%s has state_dict(): what changes as it is read would stay as it is" % (type(loader.dataset).__qualname__,))
        form = form_of(torch, loader, looked_at)
        if form.batch_type is tuple:
            raise Refused("timm's fast_collate has no native form here")
        return form

    def look(self, loader: DataLoader[Any]) -> None:
        """At all files, before an epoch: what the program has changed since the last one counts. The same three errors."""
        if self._engines is not None and self._engines.makes(self._form(loader, looked_at=_FIRST)):
            return  # the list of files is the one that was looked at
        opened = Engines(torch, self._form(loader), loader, "mark", cache=caching.described(loader.cache))
        self._closed, self._engines = self.figures(), opened

    def make(self, loader: DataLoader[Any], place: Any = None) -> Any:
        from .native_iterator import NativeIterator

        engines.check_prefetch(loader, self.engine)
        return NativeIterator(loader, self._engines, place)

    def make_behind(self, loader: DataLoader[Any], place: Any) -> Any:
        if loader.num_workers == 0 or not loader.persistent_workers:
            return self.make(loader)
        iterator = self.make(loader, place)
        iterator._reset(loader)  # workers that persist draw no new seed
        return iterator

    def figures(self) -> Any:
        """The engine's own, summed over all that were opened here."""
        return self._closed if self._engines is None else self._engines.figures(self._closed)


def cannot(loader: DataLoader[Any]) -> tuple[Any, ...]:
    """(who makes this loader's batches by flatout's own engine, None), or (None, why it cannot)."""
    try:
        return Native(loader), None
    except (Refused, Missing, Bad) as reason:
        return None, str(reason)


def choose(loader: DataLoader[Any]) -> tuple[Any, ...]:
    """(who makes the batches, why the native engine does not)."""
    if loader.engine == "threads":
        return engines.Threads(loader), None
    if loader.engine == "torch":
        return engines.Torch(loader), None
    found, reason = cannot(loader)
    return found or _without(loader, reason), reason


def look_again(loader: DataLoader[Any], before: Any) -> tuple[Any, ...]:
    """choose() for the next epoch, where `before` made the last one."""
    if loader.engine not in ("native", "auto"):
        return before, None
    found, reason = (before, None) if isinstance(before, Native) else cannot(loader)
    if found is not None:
        try:
            found.look(loader)
            return found, None
        except (Refused, Missing, Bad) as error:
            reason = str(error)
    return (before if isinstance(before, engines.Torch) else _without(loader, reason)), reason


def _without(loader: DataLoader[Any], reason: str) -> Any:
    if loader.engine == "native":
        raise NotImplementedError("engine='native' cannot make the batches of this DataLoader: %s. "
                                  "engine='auto' leaves them to torch then" % reason)
    return engines.Torch(loader)
