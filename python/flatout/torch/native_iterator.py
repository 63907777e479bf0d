"""An epoch by the native engine, which can be resumed, and in which samples may be bad."""

from __future__ import annotations

import time
import weakref
from collections import deque

import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter, _DatasetKind

from ..native_form.iterator import Batches
from .bad_samples import NOTHING, is_nothing
from .delivery import Delivery
from .fetching import MAP, Fetching
from .progress import InOrder
from .stateful import AHEAD, DRAWN, INDICES
from .view import view_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader


class NativeIterator(Delivery, Batches, _BaseDataLoaderIter):  # type: ignore[misc]
    """Draws are keyed by the base seed and the sample, and how often the epoch drew it before: so the base seed, the place in the
    sampler's order and what was drawn until there are all that a resumed epoch needs."""

    def __init__(self, loader: DataLoader[Any], engines: Any, place: Any = None) -> None:
        self._stats, self._place = loader._stats, place
        view = view_of(loader, None if place is None else (place[INDICES], place[DRAWN], place[AHEAD]))
        fetcher = _DatasetKind.create_fetcher(MAP, loader.dataset, loader._auto_collation, view.collate_fn, loader.drop_last)
        self._fetching = Fetching(MAP, fetcher, loader.dataset, view.collate_fn, loader.on_bad_sample)
        self._progress: Any = None
        super().__init__(view, engines)

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        """The next epoch, where workers persist."""
        self._index_sampler.next_epochs()
        super()._reset(loader, first_iter)

    def _begin(self) -> None:
        place, self._place = self._place, None
        if self._progress is None:
            self._progress = InOrder(self, place)
        else:
            self._progress.next_epoch(self)
        self._base_seed = self._progress.base_seed
        self._num_yielded = self._progress.yielded
        passed = weakref.WeakMethod(self._pass)  # the loader keeps the sampler's iterator, and must not keep this one
        self._sampler_iter.on_pass = lambda index: passed() is None or passed()(index)  # type: ignore[misc]
        self._drawn_states: deque[Any] = deque()  # (number of the draw, states of the sampler) of what was asked for, oldest first
        if not self._progress.finished:
            super()._begin()

    def _next_index(self) -> Any:
        self._progress.begin()
        index = super()._next_index()
        self._drawn_states.append((self._sampler_iter.drawn - 1, self._progress.snapshot()))
        return index

    def _next_data(self) -> Any:
        while True:
            try:
                data = super()._next_data()
            finally:
                if len(self._drawn_states) > len(self._asked):
                    self._progress.handed_out(*self._drawn_states.popleft())
            if not is_nothing(data):
                return data

    def _native(self, index: Any) -> Any:
        data = self._engine.next()
        bad = self._engine.bad
        if bad and self._batch_type is not list:  # of a sample alone it is not known where it belongs in the batch
            return self._fetch(index, bad[0][1])
        if bad:
            data = self._mended(data, index, bad)
        self._stats.fetched(0 if is_nothing(data) else len(data[1]), 0.0, 0, None)
        return data if is_nothing(data) else self._batch_type(data)

    def _mended(self, data: Any, index: Any, bad: list[tuple[int, str]]) -> Any:
        """Each sample that the engine could not make is read by the dataset, which gives it, or its error, as on_bad_sample says."""
        begun, left_out = time.perf_counter(), set()
        try:
            for place, why in bad:
                self._stats.left_out(1, why)
                sample = self._in_python(index[place:place + 1], why, lambda: self._fetching.fetcher.dataset[index[place]])
                if is_nothing(sample):
                    left_out.add(place)
                else:
                    data[0][place], data[1][place] = map(torch.as_tensor, sample)
        finally:
            self._stats.fetched(0, time.perf_counter() - begun, *self._fetching.bad.take())
        kept = [place for place in range(len(index)) if place not in left_out]
        return data if not left_out else type(data)(part[kept] for part in data) if kept else NOTHING

    def _pass(self, index: Any) -> None:
        """What was drawn before the place where it is resumed: a sample that comes again is not drawn for the first time."""
        self._engine.passed([self._place_of(one) for one in index])

    def _from_dataset(self, index: Any, why: str) -> Any:
        begun = time.perf_counter()
        self._stats.left_out(len(index), why)
        try:
            return self._fetching.fetcher.fetch(index)
        finally:
            self._stats.fetched(self._fetching.collate.take(), time.perf_counter() - begun, *self._fetching.bad.take())
