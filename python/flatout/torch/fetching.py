"""Around torch's fetcher: how many samples it took, which of them were bad, and where its dataset stands."""

from __future__ import annotations

from . import random_state
from .bad_samples import NOTHING, BadSamples, IterGuard, MapGuard, is_nothing
from .stateful import DATASET, ENDED, FETCHER, ITERATOR, RANDOM, has_state, restore, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAP, ITERABLE = 0, 1  # as torch.utils.data._DatasetKind


class Collate:
    """The loader's collate_fn, with what it is given counted."""

    def __init__(self, collate_fn: Any, batched: Any) -> None:
        self.collate_fn, self.batched = collate_fn, batched
        self.samples = 0

    def __call__(self, data: Any) -> Any:
        if is_nothing(data) or (self.batched and isinstance(data, list) and not data):
            return NOTHING
        self.samples += len(data) if self.batched and hasattr(data, "__len__") else 1
        return self.collate_fn(data)

    def take(self) -> Any:
        """Samples since the last take."""
        taken, self.samples = self.samples, 0
        return taken


class Fetching:
    """One of torch's fetchers, whose collate_fn is a Collate, taken into our service."""

    def __init__(self, kind: Any, fetcher: Any, dataset: Any, collate: Any, policy: str) -> None:
        self.kind, self.fetcher, self.dataset, self.collate = kind, fetcher, dataset, collate
        self.iterator = fetcher.dataset_iter if kind == ITERABLE else None
        self.bad = BadSamples()
        self.drawn = 0  # samples taken from the dataset's iterator in this epoch; the last batch counts as whole
        self._policy = policy
        self._guard()

    def _guard(self) -> None:
        if self._policy == "raise":
            return
        if self.kind == ITERABLE:
            self.fetcher.dataset_iter = IterGuard(self.iterator, self.bad)
        else:
            self.fetcher.dataset = MapGuard(self.dataset, self._policy, self.bad)

    def count_draws(self, index: Any) -> None:
        if self.kind == ITERABLE:
            self.drawn += len(index) if self.collate.batched else 1

    def state(self) -> dict[str, Any]:
        """{dataset_state, fetcher_state}, as torchdata has them: a dataset that is its own iterator is in it once."""
        if self.kind == MAP:
            return {DATASET: state_of(self.dataset), FETCHER: None}
        return {DATASET: None if self.iterator is self.dataset else state_of(self.dataset),
                FETCHER: {ITERATOR: state_of(self.iterator), ENDED: bool(self.fetcher.ended)}}

    def restore_iterator(self, state: Any, drawn: int, drawn_at_state: Any, may_end: bool = True) -> None:
        """After iter(dataset): its own state where it has one, the random states of the same moment, then what was drawn since."""
        self.drawn = drawn
        fetcher_state = state.get(FETCHER) or {}
        if self.kind == ITERABLE:
            restore(self.iterator, fetcher_state.get(ITERATOR))
        if state.get(RANDOM) is not None:
            random_state.set_process(state[RANDOM])
        if self.kind == MAP:
            return
        kept = state.get(DATASET) is not None or fetcher_state.get(ITERATOR) is not None
        kept = kept and (has_state(self.dataset) or has_state(self.iterator))
        for _ in range(drawn - (drawn_at_state if kept else 0)):
            try:
                next(self.fetcher.dataset_iter)
            except StopIteration:
                break
        if may_end:
            self.fetcher.ended = bool(fetcher_state.get(ENDED))
