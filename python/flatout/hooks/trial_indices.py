"""In which order a training loader draws samples, as a hash, in a trial.

The indices that the sampler gives to the first iterator of a loader that feeds
training go into one running hash. It is said at 1, 2, 4, ... 32 batches, in the
fact "indices": with workers more indices are drawn ahead than without, so two
runs are compared at the largest number of batches that both have said.
An IterableDataset has no indices and no such fact.
"""

import array
import hashlib
import json
import re
import weakref

CALLBACK = 7
_SAID_AT = (1, 2, 4, 8, 16, 32)
_MOST_ITERATORS = 256  # looked at in one process
_ITERABLE = 1  # _DatasetKind.Iterable


def install(native, torch):
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    orders = _Orders(native, torch.utils.data.get_worker_info)
    native.hook(_BaseDataLoaderIter, "_next_index", CALLBACK, before=orders.before, after=orders.after)
    native.hook(_BaseDataLoaderIter, "_reset", CALLBACK, before=orders.restarted)


class _Orders:
    def __init__(self, native, worker_info):
        self.native = native
        self.worker_info = worker_info
        self.orders = weakref.WeakKeyDictionary()  # iterator -> _Order
        self.first = {}  # loader -> the _Order that is said of it
        self.made = 0

    def before(self, args, _nothing):
        order = self.orders.get(args[0])
        if order is not None and order.due:
            self._say(order)

    def after(self, args, index):
        order = self.orders.get(args[0])
        if order is None:
            order = self._meet(args[0])
        if order is None or order.over:
            return
        order.take(index)
        if order.due:
            self._say(order)

    def restarted(self, args, _nothing):
        """Persistent workers keep their iterator for the next epoch."""
        order = self.orders.get(args[0])
        if order is None:
            return
        if order in self.first.values():
            order.over = True
        else:  # nothing was trained with it so far: a look at one batch, say
            del self.orders[args[0]]

    def _meet(self, iterator):
        if self.made >= _MOST_ITERATORS or iterator._dataset_kind == _ITERABLE or self.worker_info() is not None:
            return None
        self.made += 1
        order = self.orders[iterator] = _Order()
        return order

    def _say(self, order):
        """Waits where the loader is not known yet (an iterator that is being built draws
        ahead) or has fed no training so far."""
        loader = self.native.current_loader()
        if loader == 0 or not self.native.loader_fed_training(loader):
            return
        if self.first.setdefault(loader, order) is not order:
            order.over = True
        else:
            for batches, digest in order.due:
                self.native.fact("indices", json.dumps({"loader": loader, "batches": batches, "hash": digest}))
        order.due.clear()


class _Order:
    """The running hash of one iterator's indices."""

    def __init__(self):
        self.hash = hashlib.blake2b(digest_size=8)
        self.batches = 0
        self.due = []  # (batches, hash) that are to be said
        self.over = False

    def take(self, index):
        self.hash.update(_bytes_of(index))
        self.batches += 1
        if self.batches in _SAID_AT:
            self.due.append((self.batches, self.hash.hexdigest()))
            self.over = self.batches == _SAID_AT[-1]


def _bytes_of(index):
    """Whole numbers by value, whatever their type; all else as it is shown, without addresses."""
    try:
        if isinstance(index, (list, tuple)):
            return b"%d:" % len(index) + array.array("q", index).tobytes()
        return b"i" + array.array("q", (index,)).tobytes()
    except (TypeError, OverflowError, ValueError):
        return b"r" + re.sub(r" at 0x[0-9a-fA-F]+", "", repr(index)).encode("utf-8", "replace")
