"""Inside a worker process: torch's own loop, with each batch accompanied by a note of what it took and where the worker stands.

torch calls worker_init_fn right before it makes its fetcher. Ours is called in its place, calls the user's, and has the
fetcher made by us from then on; all of it in the worker process alone, where nobody else makes fetchers for this dataset.
"""

from __future__ import annotations

import pickle
import time
from collections import namedtuple

import torch.utils.data
from torch.utils.data._utils import worker as torch_worker

from . import random_state
from .fetching import ITERABLE, Fetching
from .stateful import DATASET, RANDOM, SAMPLES, SAMPLES_AT_STATE, has_state, restore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# What a worker is asked for: an index as the sampler gave it, and whether its state is wanted with the batch.
Order = namedtuple("Order", "index with_state")
# What it sends: the batch, and a pickled Note. pin_memory() of torch goes through named tuples, and past bytes.
Fetched = namedtuple("Fetched", "data note")
# `fetches`: calls of fetch() in this epoch; `drawn`: samples taken from an iterable dataset in it. `state`: bytes; None where it was not asked for; b"" where it is as it was.
Note = namedtuple("Note", "worker samples seconds bad first_bad fetches drawn state")


class Ended(torch_worker._IterableDatasetStopIteration):
    """torch's word of a worker at the end of its iterable dataset, with a note."""

    note: bytes  # a pickled Note

    def __init__(self, worker_id: int, note: bytes) -> None:
        super().__init__(worker_id)
        object.__setattr__(self, "note", note)


class WorkerStart:
    """The worker_init_fn that torch is given. `states`: of each worker, where it goes on, or None."""

    def __init__(self, init_fn: Any, policy: str, states: Any) -> None:
        self.init_fn, self.policy, self.states = init_fn, policy, states

    def __call__(self, worker_id: int) -> None:
        if self.init_fn is not None:
            self.init_fn(worker_id)
        kinds = torch.utils.data._DatasetKind
        make, state = kinds.create_fetcher, self.states[worker_id]
        ours = torch_worker._worker_info.dataset  # type: ignore[union-attr]

        def create_fetcher(kind: Any, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any) -> Any:
            nonlocal state
            if dataset is not ours:
                return make(kind, dataset, auto_collation, collate_fn, drop_last)
            first, state = state, None
            if first is not None:
                restore(dataset, first[DATASET])
            fetching = Fetching(kind, make(kind, dataset, auto_collation, collate_fn, drop_last), dataset, collate_fn, self.policy)
            return WorkerFetcher(worker_id, fetching, first)

        kinds.create_fetcher = staticmethod(create_fetcher)  # type: ignore[method-assign]


class WorkerFetcher:
    """What torch's loop calls in place of its fetcher."""

    def __init__(self, worker_id: int, fetching: Fetching, state: Any) -> None:
        self._worker_id, self._fetching = worker_id, fetching
        self._fetches = 0
        self._sent: bytes | None = None
        if state is not None:
            # One more fetch is asked of it in any case, so that torch's loop sees the end by itself.
            fetching.restore_iterator(state, state[SAMPLES], state[SAMPLES_AT_STATE], may_end=False)

    def fetch(self, order: Any) -> Any:
        begun = time.perf_counter()
        self._fetches += 1
        self._fetching.count_draws(order.index)
        try:
            data = self._fetching.fetcher.fetch(order.index)
        except StopIteration:
            if self._fetching.kind == ITERABLE:
                self._say_at_end(self._note(time.perf_counter() - begun, True))
            raise
        return Fetched(data, self._note(time.perf_counter() - begun, order.with_state))

    def _note(self, seconds: float, with_state: Any) -> bytes:
        fetching = self._fetching
        return pickle.dumps(Note(self._worker_id, fetching.collate.take(), seconds, *fetching.bad.take(), self._fetches,
                                 fetching.drawn, self._state() if with_state else None))

    def _state(self) -> Any:
        state = self._fetching.state()
        if state[DATASET] is None and self._fetching.kind == ITERABLE and not has_state(self._fetching.iterator):
            state[RANDOM] = None  # drawn anew from the beginning, its random numbers, too
        else:
            state[RANDOM] = random_state.of_process()
        octets = pickle.dumps(state)
        if octets == self._sent:
            return b""
        self._sent = octets
        return octets

    def _say_at_end(self, note: bytes) -> None:
        torch_worker._IterableDatasetStopIteration = lambda worker_id: Ended(worker_id, note)  # type: ignore[misc,assignment]
