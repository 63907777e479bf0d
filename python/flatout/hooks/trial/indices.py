"""In which order a training loader draws samples, as a hash, in a trial.

The indices that the sampler gives to the first iterator of a loader that feeds
training go into one running hash. It is said at 1, 2, 4, ... 32 batches, in the
fact "indices": with workers more indices are drawn ahead than without, so two
runs are compared at the largest number of batches that both have said.
Beside each hash from 8 batches on, and of an epoch that ended, the fact "samples"
says what does not depend on the order (samples.py): runs of a program that
shuffles anew each time are compared by that.
An IterableDataset has no indices and no such facts.
"""

from __future__ import annotations

import array
import hashlib
import json
import re
import types

from ..core.fields import ByIdentity, fields
from .samples import described

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
_SAID_AT = (1, 2, 4, 8, 16, 32)
_DESCRIBED_FROM = 8  # batches; fewer say little of how often each sample comes
_MOST_SAMPLES = 1 << 16  # of an epoch, that are kept to describe it
_MOST_ITERATORS = 256  # looked at in one process
_ITERABLE = 1  # _DatasetKind.Iterable


def install(native: Native, torch: ModuleType) -> None:
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    orders = _Orders(native, torch.utils.data.get_worker_info)
    native.hook(_BaseDataLoaderIter, "_next_index", CALLBACK, before=orders.before, after=orders.after)
    native.hook(_BaseDataLoaderIter, "_reset", CALLBACK, before=orders.restarted)


class _Orders:
    def __init__(self, native: Native, worker_info: Any) -> None:
        self.native = native
        self.worker_info = worker_info
        self.orders = ByIdentity()  # iterator -> _Order
        self.first: dict[Any, Any] = {}  # loader -> the _Order that is said of it
        self.made = 0

    def before(self, args: tuple[Any, ...], _nothing: object) -> None:
        order = self.orders.get(args[0])
        if order is not None and order.due:
            self._say(order)

    def after(self, args: tuple[Any, ...], index: Any) -> None:
        order = self.orders.get(args[0])
        if order is None:
            order = self._meet(args[0])
        if order is None or order.over:
            return
        order.take(index)
        if order.due:
            self._say(order)

    def restarted(self, args: tuple[Any, ...], _nothing: object) -> None:
        """Persistent workers keep their iterator for the next epoch."""
        order = self.orders.get(args[0])
        if order is None:
            return
        if order in self.first.values():
            self._finish(order)
        else:  # nothing was trained with it so far: a look at one batch, say
            del self.orders[args[0]]

    def _meet(self, iterator: Any) -> Any:
        if self.made >= _MOST_ITERATORS or fields(iterator).get("_dataset_kind") == _ITERABLE or self.worker_info() is not None:
            return None
        self.made += 1
        for earlier in self.first.values():
            if earlier.at_its_end():
                self._finish(earlier)
        order = self.orders[iterator] = _Order(fields(iterator).get("_sampler_iter"))
        return order

    def _finish(self, order: Any) -> None:
        """Once: the epoch has ended, or what is left of it is not looked at."""
        if order.over:
            return
        order.over = True
        loader = next((number for number, first in self.first.items() if first is order), 0)
        if loader and order.at_its_end() and order.complete and order.batches:
            self._describe(loader, order.batches, order.seen, ended=True)
        order.drop()

    def _describe(self, loader: Any, batches: int, seen: Any, ended: Any) -> None:
        fact = {"loader": loader, "batches": batches, **described(seen)}
        self.native.fact("samples", json.dumps({**fact, "ended": True} if ended else fact))

    def _say(self, order: Any) -> None:
        """Waits where the loader is not known yet (an iterator that is being built draws
        ahead) or has fed no training so far."""
        loader = self.native.current_loader()
        if loader == 0 or not self.native.loader_fed_training(loader):
            return
        if self.first.setdefault(loader, order) is not order:
            order.over = True
            order.drop()
        else:
            for batches, samples, digest in order.due:
                self.native.fact("indices", json.dumps({"loader": loader, "batches": batches, "hash": digest}))
                if batches >= _DESCRIBED_FROM and samples is not None:
                    self._describe(loader, batches, order.seen[:samples], ended=False)
        order.due.clear()


class _Order:
    """The running hash of one iterator's indices, and these themselves."""

    def __init__(self, sampler_iterator: Any) -> None:
        self.hash = hashlib.blake2b(digest_size=8)
        self.batches = 0
        self.due: list[Any] = []  # (batches, how many samples, hash) that are to be said
        self.over = False
        self.seen: list[Any] = []  # indices, while there are not too many
        self.complete = True  # `seen` holds all
        self.sampler_iterator = sampler_iterator

    def take(self, index: Any) -> None:
        self.batches += 1
        self._keep(index)
        if self.batches <= _SAID_AT[-1]:
            self.hash.update(_bytes_of(index))
        if self.batches in _SAID_AT:
            self.due.append((self.batches, len(self.seen) if self.complete else None, self.hash.hexdigest()))
        elif self.batches > _SAID_AT[-1] and not self.complete:
            self.over = not self.due

    def at_its_end(self) -> bool:
        """Whether the sampler gave all that it has; known of generators, which torch's own are."""
        return type(self.sampler_iterator) is types.GeneratorType and self.sampler_iterator.gi_frame is None

    def drop(self) -> None:
        self.seen, self.complete, self.sampler_iterator = [], False, None

    def _keep(self, index: Any) -> None:
        several = index if isinstance(index, (list, tuple)) else (index,)
        if self.complete and len(self.seen) + len(several) <= _MOST_SAMPLES:
            self.seen.extend(several)
        else:
            self.complete = False


def _bytes_of(index: Any) -> Any:
    """Whole numbers by value, whatever their type; all else as it is shown, without addresses."""
    try:
        if isinstance(index, (list, tuple)):
            return b"%d:" % len(index) + array.array("q", index).tobytes()
        return b"i" + array.array("q", (index,)).tobytes()
    except (TypeError, OverflowError, ValueError):
        return b"r" + re.sub(r" at 0x[0-9a-fA-F]+", "", repr(index)).encode("utf-8", "replace")
