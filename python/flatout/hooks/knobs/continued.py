"""The iterators of a training loader whose settings are switched inside the real training.

Unlike parked.py, nothing of the training may differ: all iterators over the loader draw their batches' indices from
one sampler, the program's own, in turn. An iterator that is switched away from hands over the batches that its workers
have begun, and draws no further ones; then comes the next. So the program gets the same batches in the same order.
"""

from __future__ import annotations

import collections
import random
import sys
import threading
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_WATCHED = 64  # draws of an epoch's sampler
_FEWEST = 2  # of them, before an iterator is switched: the first one of many samplers takes a seed
_MOST_IDLE = 2  # iterators that stand by: each may hold workers and memory
_NEEDED = ("_send_idx", "_rcvd_idx", "_prefetch_factor", "_num_workers", "_try_put_index")
_WARNS = "check_worker_number_rationality"
_EARLY = "its epoch has only begun"
_DRAWS = "its sampler draws random numbers as it goes"
_OTHER_THREAD = "another thread fetches its batches"
_OTHER_KIND = "its iterator is not one of torch.utils.data's for a dataset with indices"
_UNORDERED = "its batches come in no fixed order (in_order=False)"


def quiet(loader: Any) -> None:
    """It is not the program that asks for more workers than there are cores, so torch's warning of that is not for its output."""
    vars(loader)[_WARNS] = lambda: None


def loud(loader: Any) -> None:
    vars(loader).pop(_WARNS, None)


class Continued:
    def __init__(self, torch: ModuleType, loader: Any, number: int | None) -> None:
        self.torch = torch
        self.loader = loader
        self.number = number
        self.own: Any = None  # weak reference to the iterator that the program holds
        self.own_key: Any = None
        self.key: Any = None  # of the iterator that draws now
        self.sampler: Any = None
        self.drew = False  # the sampler of an earlier epoch
        self.others: dict[Any, Any] = {}  # key -> iterator, the latest last
        self.begun: collections.deque[Any] = collections.deque()  # [key, batches that this iterator still hands over]
        self.stays = False

    def begin(self, iterator: Any, key: Any) -> None:
        """The program builds an iterator, or begins anew with one that persists, under these settings."""
        vars(iterator).pop("_next_data", None)
        self.drew = self.drew or (self.sampler is not None and self.sampler.drew)
        self.others.clear()
        self.begun.clear()
        self.own, self.own_key, self.key = weakref.ref(iterator), key, key
        self.sampler = None
        if self._why_not_this(iterator) is None:
            drawn = iterator._send_idx if hasattr(iterator, "_send_idx") else 0
            self.sampler = iterator._sampler_iter = _Watched(self.torch, iterator._sampler_iter, drawn)

    def alive(self) -> bool:
        return self.own is not None and self.own() is not None

    def refused(self) -> str | None:
        """Why no other iterator can take over now."""
        why = self._why_not_this(self.own())
        if why is not None:
            return why
        shared = getattr(self.loader, "generator", None) is self.torch.default_generator  # which the training draws from, too
        elsewhere = self.torch.empty(()).device.type != "cpu"  # where an iterator then draws its seed
        if self.drew or self.sampler.drew or shared or elsewhere:
            return _DRAWS
        if self.sampler.thread not in (None, threading.get_ident()):
            return _OTHER_THREAD
        return _EARLY if self.sampler.drawn < _FEWEST else None

    def _why_not_this(self, iterator: Any) -> str | None:
        from torch.utils.data import dataloader

        loader = self.loader
        kinds = (dataloader._SingleProcessDataLoaderIter, dataloader._MultiProcessingDataLoaderIter)
        if type(iterator) not in kinds or loader._dataset_kind != dataloader._DatasetKind.Map or not hasattr(iterator, "_sampler_iter"):
            return _OTHER_KIND
        if type(iterator) is kinds[1] and not all(hasattr(iterator, name) for name in _NEEDED):
            return _OTHER_KIND
        return None if getattr(loader, "in_order", True) else _UNORDERED

    def _iterator(self, key: Any) -> Any:
        return self.own() if key == self.own_key else self.others.get(key)

    def switch(self, key: Any) -> None:
        """Batches that are not begun yet are made under the settings that the loader has now."""
        own = self.own() if self.own is not None else None
        if own is None or key == self.key or self.sampler is None:
            return
        following = self._iterator(key)
        if following is None:  # before anything is changed, as it may fail
            following = self._made()
            self.others[key] = following
        vars(own)["_next_data"] = self._next_data
        present = self._iterator(self.key)
        present._sampler_iter = iter(())
        left = present._send_idx - present._rcvd_idx if hasattr(present, "_send_idx") else 0
        left -= sum(count for begun, count in self.begun if begun == self.key)
        if left > 0:
            self.begun.append([self.key, left])
        self.key = key
        self._draw_on(following)
        self._forget_the_oldest()

    def _draw_on(self, iterator: Any) -> None:
        iterator._sampler_iter = self.sampler
        if not hasattr(iterator, "_send_idx"):
            return
        try:
            while iterator._send_idx - iterator._rcvd_idx < iterator._prefetch_factor * iterator._num_workers and not self.sampler.ended:
                iterator._try_put_index()
        except Exception:  # of the sampler, which raises it again where the program asks for a batch
            if self.sampler.error is None:
                raise

    def _forget_the_oldest(self) -> None:
        busy = {self.key, *(key for key, _left in self.begun)}
        idle = [key for key in self.others if key not in busy]
        for key in idle[: len(idle) if self.stays else max(0, len(idle) - _MOST_IDLE)]:
            del self.others[key]

    def _made(self) -> Any:
        """One that has drawn no indices yet. The random streams are afterwards where they were: it draws a seed for its workers."""
        loader = self.loader
        name = "batch_sampler" if loader._auto_collation else "sampler"
        generator: Any = getattr(loader, "generator", None)
        before, own_before = self.torch.get_rng_state(), None if generator is None else generator.get_state()
        sampler = vars(loader)[name]
        vars(loader)[name] = _Nothing(sampler)
        quiet(loader)
        try:
            return loader._get_iterator()
        finally:
            loud(loader)
            vars(loader)[name] = sampler
            self.torch.set_rng_state(before)
            if own_before is not None:
                generator.set_state(own_before)

    def _next_data(self) -> Any:
        while self.begun:
            key, left = self.begun[0]
            if left == 0:
                self.begun.popleft()
                self._forget_the_oldest()
                continue
            self.begun[0][1] = left - 1  # before, as the batch may be an error
            iterator = self._iterator(key)
            return type(iterator)._next_data(iterator)
        active = self._iterator(self.key)
        return type(active)._next_data(active)

    def stay(self) -> None:
        """No further switch comes: iterators that stand by end, with their workers."""
        self.stays = True
        self._forget_the_oldest()


class _Nothing:
    """As long as a sampler, and without indices."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return len(self.sampler)


class _Watched:
    """The program's own iterator over the sampler, and whether it draws random numbers after its first batch."""

    def __init__(self, torch: ModuleType, iterator: Any, drawn: int) -> None:
        self.torch = torch
        self.iterator = iterator
        self.drawn = drawn
        self.drew = False
        self.ended = False
        self.error: Any = None
        self.thread: Any = None  # that draws

    def __iter__(self) -> _Watched:
        return self

    def __next__(self) -> Any:
        if self.error is not None:
            raise self.error
        self.thread = threading.get_ident()
        watched = 0 < self.drawn < _WATCHED and not self.drew
        before = self._random_state() if watched else None
        try:
            batch = next(self.iterator)
        except StopIteration:
            self.ended = True
            raise
        except Exception as error:
            self.error = error
            raise
        self.drawn += 1
        if watched and before != self._random_state():
            self.drew = True
        return batch

    def _random_state(self) -> Any:
        """Equal to no other one where a program has made it unreadable."""
        try:
            numpy = sys.modules.get("numpy.random")
            of_numpy = None if numpy is None else (lambda state: (state[1].tobytes(), state[2:]))(numpy.get_state())
            return self.torch.default_generator.get_state().numpy().tobytes(), random.getstate(), of_numpy
        except Exception:
            return object()
