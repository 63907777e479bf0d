"""Objects of the user that keep a state of their own, and the names under which a loader's state holds it.

The names are those of torchdata's StatefulDataLoader, so that programs that look into a state find what they look for.
Everything of ours in a state is int, bool, str, None, list or dict: it goes through json, torch.save and weights_only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SNAPSHOT, STEPS_SINCE_SNAPSHOT, FINISHED = "_snapshot", "_steps_since_snapshot", "_iterator_finished"
SNAPSHOT_STEP, LAST_WORKER, MAIN, WORKERS = "_snapshot_step", "_last_yielded_worker_id", "_main_snapshot", "_worker_snapshots"
NUM_WORKERS, BASE_SEED, SHARED_SEED = "_num_workers", "_base_seed", "_shared_seed"
NUM_YIELDED, LENGTH_CALLED = "_num_yielded", "_IterableDataset_len_called"
INDICES, DRAWN, AHEAD = "_indices", "_sampler_iter_yielded", "_delivered_ahead"
DATASET, FETCHER, ITERATOR, ENDED = "dataset_state", "fetcher_state", "dataset_iter_state", "fetcher_ended"
WORKER, RANDOM, SAMPLES, SAMPLES_AT_STATE = "worker_id", "random_state", "samples_drawn", "samples_drawn_at_state"


def has_state(thing: Any) -> bool:
    return callable(getattr(thing, "state_dict", None)) and callable(getattr(thing, "load_state_dict", None))


def state_of(thing: Any) -> Any:
    """Its state, or None where it keeps none."""
    return thing.state_dict() if has_state(thing) else None


def restore(thing: Any, state: Any) -> None:
    if state is not None and has_state(thing):
        thing.load_state_dict(state)


def worker_name(number: int) -> str:
    return "worker_%d" % number
