"""How far an epoch in worker processes has come, as the program sees it: what was handed out, not what was made ahead."""

from __future__ import annotations

import pickle

from .stateful import (AHEAD, BASE_SEED, DATASET, DRAWN, ENDED, FETCHER, FINISHED, INDICES, ITERATOR, LAST_WORKER, LENGTH_CALLED, MAIN,
                       NUM_WORKERS, NUM_YIELDED, RANDOM, SAMPLES, SAMPLES_AT_STATE, SHARED_SEED, SNAPSHOT, SNAPSHOT_STEP,
                       STEPS_SINCE_SNAPSHOT, WORKER, WORKERS, has_state, worker_name)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .worker import Note


class WorkerProgress:
    """Of one worker: samples drawn until its last batch that was handed out, and its last state with the draws until then."""

    def __init__(self, iterable: Any, state: Any = None) -> None:
        self._iterable = iterable
        self.batches = 0  # handed out since this iterator began its epoch
        self._octets = None
        self._state = state or {DATASET: None, FETCHER: None, RANDOM: None}
        self.drawn = self._state.get(SAMPLES, 0)
        self._drawn_at_state = self._state.get(SAMPLES_AT_STATE, 0)

    def came_to(self, note: Note) -> None:
        self.drawn = note.drawn
        if note.state is None:
            return
        if note.state:
            self._octets = note.state
        self._drawn_at_state = note.drawn

    def next_epoch(self) -> None:
        """The dataset of a worker that stays keeps its state, its iterator does not."""
        self._read()
        self._state = dict(self._state, **{FETCHER: None})
        self.drawn = self._drawn_at_state = self.batches = 0

    def as_dict(self, number: int) -> dict[str, Any]:
        self._read()
        fetcher = self._state[FETCHER] or ({ITERATOR: None, ENDED: False} if self._iterable else None)
        return {WORKER: number, DATASET: self._state[DATASET], FETCHER: fetcher, RANDOM: self._state[RANDOM],
                SAMPLES: self.drawn, SAMPLES_AT_STATE: self._drawn_at_state}

    def _read(self) -> None:
        if self._octets is not None:
            self._state, self._octets = pickle.loads(self._octets), None


class Delivered:
    """Which draws of the sampler were handed out: all below `below`, and, out of order, some behind."""

    def __init__(self, below: int = 0, ahead: Any = ()) -> None:
        self.below, self.ahead = below, set(ahead)

    def add(self, number: int) -> None:
        self.ahead.add(number)
        while self.below in self.ahead:
            self.ahead.remove(self.below)
            self.below += 1


class Progress:
    """Of one epoch. The loader keeps it; the iterator, whose end stops the workers, belongs to the program alone."""

    def __init__(self, num_workers: int, iterable: bool = False) -> None:
        self._iterable = iterable
        self.workers = [WorkerProgress(iterable) for _ in range(num_workers)]
        self.ends: dict[Any, Any] = {}  # worker: its note at the end of its iterable dataset
        self.delivered = Delivered()
        self.sampler: Any = None  # states of a sampler that keeps some, after the last draw handed out
        self.yielded = 0
        self.last_worker = num_workers - 1
        self.length_called = None
        self.base_seed: Any = None
        self.shared_seed: Any = None
        self.finished = False
        self.indices: Any = None

    def next_epoch(self) -> None:
        """With workers that stay."""
        for worker in self.workers:
            worker.next_epoch()
        self.delivered, self.ends, self.sampler, self.finished = Delivered(), {}, None, False
        self.yielded, self.last_worker = 0, len(self.workers) - 1

    def go_on_at(self, place: Any) -> None:
        self.workers = [WorkerProgress(self._iterable, state) for state in place[WORKERS]]
        self.delivered = Delivered(place[DRAWN], place[AHEAD])
        self.yielded, self.last_worker = place[NUM_YIELDED], place[LAST_WORKER]
        self.length_called, self.finished = place[LENGTH_CALLED], place[FINISHED]
        self.base_seed, self.shared_seed = place[BASE_SEED], place[SHARED_SEED]

    def take_ends(self) -> None:
        """A worker's end counts once all batches that it made before are handed out."""
        for number, note in list(self.ends.items()):
            if self.workers[number].batches == note.fetches - 1:
                self.workers[number].came_to(note)
                del self.ends[number]

    def state_dict(self) -> dict[str, Any]:
        workers = {worker_name(number): worker.as_dict(number) for number, worker in enumerate(self.workers)}
        order = self.indices.end_state() if self.finished else self.indices.state(self.sampler)
        main = {NUM_WORKERS: len(self.workers), INDICES: order, DRAWN: self.delivered.below, AHEAD: sorted(self.delivered.ahead),
                LENGTH_CALLED: self.length_called, SHARED_SEED: self.shared_seed, BASE_SEED: self.base_seed}
        return {SNAPSHOT: {SNAPSHOT_STEP: self.yielded, LAST_WORKER: self.last_worker, MAIN: main, WORKERS: workers},
                STEPS_SINCE_SNAPSHOT: 0, FINISHED: self.finished}


class InOrder:
    """Of one epoch whose batches this process makes, ahead and in order, by what has no state of its own: threads, or the engine.
    Reported as num_workers=0 reports it."""

    def __init__(self, iterator: Any, place: Any) -> None:
        self._dataset = iterator._dataset
        self.next_epoch(iterator)
        if place is not None:
            self.delivered, self.yielded, self.base_seed = Delivered(place[DRAWN], place[AHEAD]), place[NUM_YIELDED], place[BASE_SEED]
            self.finished = place[FINISHED]

    def next_epoch(self, iterator: Any) -> None:
        self.indices, self.base_seed = iterator._sampler_iter, iterator._base_seed
        self.delivered, self.yielded, self.finished = Delivered(), 0, False
        self._sampler, self._begun = None, False

    def begin(self) -> None:
        """Fixes the order of the epoch; before its first draw."""
        if self._begun:
            return
        self._begun = True
        self.indices.begin()
        self._sampler = self.snapshot()

    def snapshot(self) -> Any:
        """To be taken after each draw, and given to handed_out() with its batch."""
        return self.indices.snapshot() if self.indices.keeps_state else None

    def handed_out(self, draw: int, snapshot: Any) -> None:
        self.delivered.add(draw)
        self._sampler = snapshot

    def state_dict(self) -> dict[str, Any]:
        if has_state(self._dataset):
            raise RuntimeError("state_dict: %s has a state, which threads change ahead of what was handed out; "
                               "use engine='torch' for it" % type(self._dataset).__name__)
        self.begin()
        self.indices.hold_first()
        order = self.indices.end_state() if self.finished else self.indices.state(self._sampler)
        return {NUM_WORKERS: 0, INDICES: order, DRAWN: self.delivered.below, AHEAD: sorted(self.delivered.ahead), NUM_YIELDED: self.yielded,
                LENGTH_CALLED: None, BASE_SEED: self.base_seed, SHARED_SEED: None, SAMPLES: 0, DATASET: None, FETCHER: None,
                FINISHED: self.finished}
