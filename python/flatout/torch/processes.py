"""num_workers > 0: torch's own iterator over worker processes, told where to begin, and listened to."""

from __future__ import annotations

import pickle
from collections import deque, namedtuple

from torch._utils import ExceptionWrapper
from torch.utils.data._utils.worker import _IterableDatasetStopIteration, _ResumeIteration
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from .bad_samples import is_nothing
from .delivery import Delivery
from .fetching import ITERABLE, MAP
from .progress import Progress
from .stateful import AHEAD, BASE_SEED, DRAWN, INDICES, LAST_WORKER, NUM_YIELDED, LENGTH_CALLED, SHARED_SEED, WORKERS
from .view import view_of
from .worker import Ended, Order, WorkerStart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader
    from .worker import Note

# What a worker sent, with the number that torch gave to the task: an exception does not say it by itself.
Arrived = namedtuple("Arrived", "task data")


class ProcessesIterator(Delivery, _MultiProcessingDataLoaderIter):
    """Exact whatever is made ahead: each batch brings its worker's state along, and the place moves when it is handed out."""

    _progress: Progress = None  # type: ignore[assignment]  # until it has one
    _seeds: tuple[Any, Any] = (None, None)

    def __init__(self, loader: DataLoader[Any], place: Any = None) -> None:
        self._stats, self._every = loader._stats, loader.snapshot_every_n_steps or 0
        self._progress = Progress(loader.num_workers, loader._dataset_kind == ITERABLE)
        self._sent: dict[Any, Any] = {}  # torch's number of a task: (number of the draw, worker)
        self._samplers: deque[Any] = deque()  # (draws, states of the sampler after them), where it keeps some
        self._place = place
        states = [None] * loader.num_workers
        if place is not None:
            self._seeds = (place[BASE_SEED], place[SHARED_SEED])
            states = place[WORKERS]
            self._progress.go_on_at(place)
        resume = None if place is None else (place[INDICES], place[DRAWN], place[AHEAD])
        super().__init__(view_of(loader, resume, worker_init_fn=WorkerStart(loader.worker_init_fn, loader.on_bad_sample, states)))

    # torch draws these and hands them to the workers; a resumed epoch goes on with those that it had.
    @property
    def _base_seed(self) -> Any:
        return self._drawn_seed if self._seeds[0] is None else self._seeds[0]

    @_base_seed.setter
    def _base_seed(self, seed: Any) -> None:
        self._drawn_seed = seed

    @property
    def _shared_seed(self) -> Any:
        return self._drawn_shared_seed if self._seeds[1] is None else self._seeds[1]

    @_shared_seed.setter
    def _shared_seed(self, seed: Any) -> None:
        self._drawn_shared_seed = seed

    def _reset(self, loader: DataLoader[Any], first_iter: bool = False) -> None:
        resumed, self._place = self._place, None
        if not first_iter:
            self._index_sampler.next_epochs()
            self._seeds = (self._seeds[0], None)
            self._progress.next_epoch()
        self._sent.clear()
        self._samplers.clear()
        ahead, self._prefetch_factor = self._prefetch_factor, 0  # torch asks for the first batches itself: not before we are ready
        super()._reset(loader, first_iter)
        self._prefetch_factor = ahead
        self._begin(resumed)

    def _begin(self, place: Any) -> None:
        progress = self._progress
        progress.indices = self._sampler_iter
        progress.ends.clear()  # those of an epoch that was given up have come in since
        if place is not None:
            self._num_yielded, self._IterableDataset_len_called = place[NUM_YIELDED], place[LENGTH_CALLED]
            for _ in range(place[LAST_WORKER] + 1):
                next(self._worker_queue_idx_cycle)
        progress.length_called = self._IterableDataset_len_called
        progress.base_seed, progress.shared_seed = self._base_seed, self._shared_seed
        if progress.finished:
            return
        self._sampler_iter.begin()
        if self._sampler_iter.keeps_state:
            progress.sampler = self._sampler_iter.snapshot()
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _next_index(self) -> Any:
        index = super()._next_index()
        draw = self._sampler_iter.drawn - 1
        due = bool(self._every) and (draw + 1) % self._every == 0
        if due and self._sampler_iter.keeps_state:
            self._samplers.append((draw, self._sampler_iter.snapshot()))
        return Order(index, due or self._dataset_kind == MAP)

    def _try_put_index(self) -> None:
        task = self._send_idx
        super()._try_put_index()
        if self._send_idx > task:
            self._sent[task] = (self._sampler_iter.drawn - 1, self._task_info[task][0])

    def _get_data(self) -> tuple[Any, Any]:
        task, data = super()._get_data()
        if isinstance(data, Ended):
            self._progress.ends[data.worker_id] = self._read(data.note)
        if isinstance(task, _ResumeIteration) or isinstance(data, _IterableDatasetStopIteration):
            return task, data
        return task, Arrived(task, data)

    def _process_data(self, arrived: Any, *worker: Any) -> Any:
        data, note = arrived.data, None
        if not isinstance(data, ExceptionWrapper):
            data, note = data.data, self._read(data.note)
        draw, worker_id = self._sent.pop(arrived.task)
        self._handed_out(draw, worker_id, note)
        return super()._process_data(data, *worker)

    def _read(self, octets: bytes) -> Note:
        note: Note = pickle.loads(octets)
        self._stats.fetched(note.samples, note.seconds, note.bad, note.first_bad)
        return note

    def _handed_out(self, draw: int, worker: int, note: Note | None) -> None:
        progress = self._progress
        progress.delivered.add(draw)
        while self._samplers and self._samplers[0][0] < progress.delivered.below:
            progress.sampler = self._samplers.popleft()[1]
        progress.last_worker = worker
        progress.workers[worker].batches += 1
        if note is not None:
            progress.workers[worker].came_to(note)
        progress.take_ends()

    def _next_data(self) -> Any:
        while True:
            data = super()._next_data()
            if not is_nothing(data):
                return data

    def _ended(self) -> None:
        super()._ended()
        self._progress.take_ends()
