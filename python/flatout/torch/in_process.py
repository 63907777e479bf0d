"""num_workers=0: batches are made in the thread that asks for them, by torch's own iterator."""

from __future__ import annotations

import time

from torch.utils.data.dataloader import _SingleProcessDataLoaderIter

from .bad_samples import is_nothing
from .fetching import Fetching
from .stateful import (AHEAD, BASE_SEED, DATASET, DRAWN, FINISHED, INDICES, LENGTH_CALLED, NUM_WORKERS, NUM_YIELDED,
                       SAMPLES, SHARED_SEED, restore)
from .view import view_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader


class InProcessIterator(_SingleProcessDataLoaderIter):
    """Its state is that of the moment in which it is asked for: nothing is made ahead."""

    _finished = False

    def __init__(self, loader: DataLoader[Any], place: Any = None) -> None:
        resume = None if place is None else (place[INDICES], place[DRAWN], place[AHEAD])
        if place is not None:
            # In this order: the dataset, iter(dataset), the iterator. It is also torchdata's, and user code counts on it.
            restore(loader.dataset, place.get(DATASET))
        view = view_of(loader, resume)
        super().__init__(view)
        self._stats = loader._stats
        self._fetching = Fetching(self._dataset_kind, self._dataset_fetcher, self._dataset, view.collate_fn, loader.on_bad_sample)
        if place is not None:
            self._resume(place)

    def _resume(self, place: Any) -> None:
        self._num_yielded, self._IterableDataset_len_called = place[NUM_YIELDED], place[LENGTH_CALLED]
        self._finished = place[FINISHED]
        self._base_seed, self._shared_seed = place[BASE_SEED], place[SHARED_SEED]
        if not self._finished:
            self._sampler_iter.begin()
        self._fetching.restore_iterator(place, place[SAMPLES], place[SAMPLES])

    def _next_index(self) -> Any:
        index = super()._next_index()
        self._fetching.count_draws(index)
        return index

    def _next_data(self) -> Any:
        while True:
            begun = time.perf_counter()
            try:
                data = super()._next_data()
            finally:
                self._stats.fetched(self._fetching.collate.take(), time.perf_counter() - begun, *self._fetching.bad.take())
            if not is_nothing(data):
                return data

    def __next__(self) -> Any:
        begun = time.perf_counter()
        try:
            data = super().__next__()
        except StopIteration:
            self._finished = True
            raise
        self._stats.delivered(time.perf_counter() - begun)
        return data

    def progress(self) -> InProcessIterator:
        """What the loader keeps of this iterator to tell its state."""
        return self

    def state_dict(self) -> Any:
        indices = self._sampler_iter
        indices.hold_first()
        state = self._fetching.state()
        state.update({
            NUM_WORKERS: 0, INDICES: indices.end_state() if self._finished else indices.state_now(), DRAWN: indices.drawn, AHEAD: [],
            NUM_YIELDED: self._num_yielded, LENGTH_CALLED: self._IterableDataset_len_called, BASE_SEED: self._base_seed,
            SHARED_SEED: self._shared_seed, SAMPLES: self._fetching.drawn, FINISHED: self._finished})
        return state
