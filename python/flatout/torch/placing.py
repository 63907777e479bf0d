"""A state that was loaded, read as the place where a loader goes on, also where it has another number of workers."""

from __future__ import annotations

from .fetching import ITERABLE
from .stateful import (AHEAD, DATASET, DRAWN, FETCHER, FINISHED, INDICES, LAST_WORKER, MAIN, NUM_WORKERS, NUM_YIELDED, SAMPLES,
                       SAMPLES_AT_STATE, SNAPSHOT, SNAPSHOT_STEP, WORKERS, RANDOM, worker_name)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader

_NO_STATE = {DATASET: None, FETCHER: None, SAMPLES: 0, SAMPLES_AT_STATE: 0, RANDOM: None}


def place_of(state: Any, loader: DataLoader[Any]) -> Any:
    """One flat dict. Raises ValueError where `loader` cannot go on there."""
    if not isinstance(state, dict):
        raise ValueError("load_state_dict: a state is a dict, not %r" % (type(state).__name__,))
    try:
        return _place_of(state, loader)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("load_state_dict: this is no whole state of a flatout.torch.DataLoader (%s: %s)"
                         % (type(error).__name__, error)) from error  # fmt: skip


def _place_of(state: Any, loader: DataLoader[Any]) -> Any:
    place = _of_processes(state) if SNAPSHOT in state else dict(state, **{LAST_WORKER: -1, WORKERS: [_of_process(state)]})
    if INDICES not in place:
        raise ValueError("load_state_dict: this is no state of a flatout.torch.DataLoader (it has no %r); "
                         "a state of another loader cannot be gone on from" % INDICES)
    before, now = place[NUM_WORKERS], loader._iterators.workers  # type: ignore[union-attr]
    if before != now:
        _move(place, before, now, loader)
    if now == 0:
        place.update({key: place[WORKERS][0][key] for key in (DATASET, FETCHER, SAMPLES)})
    return place


def _of_process(state: Any) -> dict[str, Any]:
    return dict(_NO_STATE, **{DATASET: state.get(DATASET), FETCHER: state.get(FETCHER), SAMPLES: state.get(SAMPLES, 0),
                              SAMPLES_AT_STATE: state.get(SAMPLES, 0)})


def _of_processes(state: Any) -> Any:
    snapshot = state[SNAPSHOT]
    place = dict(snapshot[MAIN])
    workers = snapshot[WORKERS]
    place[WORKERS] = [workers[worker_name(number)] for number in range(len(workers))]
    place.update({NUM_YIELDED: snapshot[SNAPSHOT_STEP], LAST_WORKER: snapshot[LAST_WORKER], FINISHED: state[FINISHED]})
    return place


def _move(place: Any, before: Any, now: Any, loader: DataLoader[Any]) -> None:
    """Another number of workers. None and one are the same to a dataset: it is read in one place."""
    if max(before, now) == 1:
        place[LAST_WORKER] = now - 1
        return
    kept = any(one.get(DATASET) is not None or (one.get(FETCHER) or {}).get("dataset_iter_state") is not None for one in place[WORKERS])
    begun = place[DRAWN] > 0 or place[AHEAD] or any(one[SAMPLES] for one in place[WORKERS])
    if kept or (loader._dataset_kind == ITERABLE and begun and not place[FINISHED]):
        what = "an iterable dataset is divided among its workers" if loader._dataset_kind == ITERABLE else "the dataset has a state in each worker"
        raise ValueError("load_state_dict: the state was taken with num_workers=%d, this loader has num_workers=%d, and %s. "
                         "Use num_workers=%d, or go on from the beginning of an epoch" % (before, now, what, before))
    place[WORKERS] = [dict(_NO_STATE) for _ in range(max(now, 1))]
    place[LAST_WORKER] = now - 1
