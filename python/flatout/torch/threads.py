"""engine="threads": a map-style dataset read by threads of this process; batches in order, a bounded number ahead.

The threads share the dataset and the process's random generators. They hold on to a Pool alone, never to the iterator: when
the program lets go of that, they end.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
import weakref
from collections import deque

from torch._utils import ExceptionWrapper
from torch.utils.data import _utils
from torch.utils.data.dataloader import _BaseDataLoaderIter, _DatasetKind

from .bad_samples import is_nothing
from .delivery import Delivery
from .fetching import MAP, Collate, Fetching
from .progress import InOrder
from .stateful import AHEAD, DRAWN, INDICES, NUM_YIELDED
from .view import view_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .loader import DataLoader

_END_S = 5  # what a thread in the middle of a batch is waited for at most, at the interpreter's end
_pools: weakref.WeakSet[Any] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Before the interpreter goes: a thread must not be inside torch when it does."""
    pools = list(_pools)
    for pool in pools:
        pool.end()
    for pool in pools:
        pool.join(_END_S)


class _Stop:
    said = False


class Pool:
    """Threads that make batches of orders. Each answer goes to the order's own place, a queue of one."""

    def __init__(self, make_batch: Any, init_fn: Any, count: int) -> None:
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stop = _Stop()
        self._threads = [threading.Thread(target=_work, name="flatout-loader-%d" % number, daemon=True,
                                          args=(number, make_batch, init_fn, self._orders, self._stop)) for number in range(count)]
        self._process = os.getpid()
        _pools.add(self)
        for thread in self._threads:
            thread.start()

    def forget(self) -> None:
        """Orders that no thread has begun."""
        while True:
            try:
                self._orders.get_nowait()
            except queue.Empty:
                return

    def order(self, index: Any) -> Any:
        place: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._orders.put((index, place))
        return place

    def end(self) -> None:
        """No thread begins another batch. Does not wait, and takes no lock: a finalizer calls this, wherever the collector runs."""
        self._stop.said = True
        for _ in self._threads:
            self._orders.put(None)

    def join(self, seconds: float) -> None:
        if os.getpid() == self._process:
            for thread in self._threads:
                thread.join(seconds)


def _work(number: int, make_batch: Any, init_fn: Any, orders: Any, stop: Any) -> None:
    where = "in DataLoader worker thread %d" % number
    failure = None
    try:
        if init_fn is not None:
            init_fn(number)
    except Exception:
        failure = ExceptionWrapper(where=where)
    while True:
        order = orders.get()
        if order is None or stop.said:
            return
        index, place = order
        answer, failure = failure, None
        if answer is None:
            try:
                answer = make_batch(number, index)
            except Exception:
                answer = ExceptionWrapper(where=where)
        place.put(answer)
        del order, index, place, answer  # the batch is the program's now


class BatchMaker:
    """One of torch's fetchers a thread, as each counts for itself."""

    def __init__(self, loader: DataLoader[Any], pin: Any, count: int) -> None:
        self._stats, self._pin = loader._stats, pin
        self._fetching = []
        for _ in range(count):
            collate = Collate(loader.collate_fn, loader._auto_collation)
            fetcher = _DatasetKind.create_fetcher(MAP, loader.dataset, loader._auto_collation, collate, loader.drop_last)
            self._fetching.append(Fetching(MAP, fetcher, loader.dataset, collate, loader.on_bad_sample))

    def __call__(self, number: int, index: Any) -> Any:
        fetching, begun = self._fetching[number], time.perf_counter()
        try:
            data = fetching.fetcher.fetch(index)
            return data if self._pin is None else self._pin(data)
        finally:
            self._stats.fetched(fetching.collate.take(), time.perf_counter() - begun, *fetching.bad.take())


def _reraise(wrapper: Any) -> None:
    """Without the frame of reraise(), whose local is the error itself: in that cycle the iterator, and its threads, would stay until
    the collector comes by."""
    try:
        wrapper.reraise()
    except BaseException as error:
        raise error.with_traceback(None)


class ThreadsIterator(Delivery, _BaseDataLoaderIter):
    """One epoch, and the threads for it; where they persist, one epoch after the other."""

    def __init__(self, loader: DataLoader[Any], place: Any = None) -> None:
        resume = None if place is None else (place[INDICES], place[DRAWN], place[AHEAD])
        super().__init__(view_of(loader, resume))  # type: ignore[arg-type]
        self._stats = loader._stats
        self._progress = InOrder(self, place)
        if place is not None:
            self._num_yielded = place[NUM_YIELDED]
        self._start(loader)
        self._begin(loader)

    def _start(self, loader: DataLoader[Any]) -> None:
        self._process = os.getpid()
        self._pool = Pool(BatchMaker(loader, self._pinned(), self._num_workers), loader.worker_init_fn, self._num_workers)
        self._end = weakref.finalize(self, self._pool.end)

    def _begin(self, loader: DataLoader[Any]) -> None:
        self._waiting: deque[Any] = deque()  # (number of the draw, place of the answer, states of the sampler), oldest first
        if self._progress.finished:
            return  # of the epoch behind it, _reset() is called
        self._progress.begin()
        for _ in range(self._num_workers * (loader.prefetch_factor or 0)):
            self._order()

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        """The next epoch, where threads persist. What is left of one that was given up is made for nobody."""
        self._index_sampler.next_epochs()
        super()._reset(loader, first_iter)
        self._progress.next_epoch(self)
        if os.getpid() != self._process:
            self._start(loader)
        self._pool.forget()
        self._begin(loader)

    def _pinned(self) -> Callable[..., Any] | None:
        if not self._pin_memory:
            return None
        device = getattr(self, "_pin_memory_device", None)
        return lambda data: _utils.pin_memory.pin_memory(data, device)

    def _order(self) -> None:
        try:
            index = self._next_index()
        except StopIteration:
            return
        indices = self._sampler_iter
        self._waiting.append((indices.drawn - 1, self._pool.order(index), self._progress.snapshot()))

    def _next_data(self) -> Any:
        if os.getpid() != self._process:
            raise RuntimeError("DataLoader with engine='threads': its threads are not in this process, which was forked off since; "
                               "call iter() in the process that reads the batches")
        while self._waiting:
            data = self._oldest()
            if isinstance(data, ExceptionWrapper):
                _reraise(data)
            if not is_nothing(data):
                return data
        if not self._persistent_workers:
            self._end()
        raise StopIteration

    def _oldest(self) -> Any:
        draw, place, sampler = self._waiting[0]
        try:
            data = place.get(timeout=self._timeout or None)
        except queue.Empty:
            raise RuntimeError("DataLoader timed out after %s seconds" % self._timeout) from None
        self._waiting.popleft()
        self._progress.handed_out(draw, sampler)
        self._order()
        return data
