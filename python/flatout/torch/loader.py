"""flatout.torch.DataLoader."""

from __future__ import annotations

import inspect
import operator
import sys
from typing import TypeVar

import torch.utils.data

from ..native_form import caching
from . import native, rebuilt
from .bad_samples import POLICIES
from .indices import begin_behind
from .placing import place_of
from .stateful import FINISHED, INDICES
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Literal

    from torch.utils.data import Dataset, Sampler

    from .engines import Threads, Torch
    from .native import Native

_Sample = TypeVar("_Sample", covariant=True)
ENGINES = ("torch", "threads", "native", "auto")


class DataLoader(torch.utils.data.DataLoader[_Sample]):
    """torch.utils.data.DataLoader, whose arguments, results, order, random draws and errors it has, and five things more.

    engine="torch": worker processes, as torch. "threads": as many threads as num_workers say; for map-style datasets that may
        be read from several threads (docs/data-torch.md). "native": flatout's own engine, for what it knows; an error
        says what it does not. "auto": "native" where it can, else "torch".
    on_bad_sample="raise": a sample that cannot be read is an error, as in torch. "skip": it is left out of its batch, "replace":
        the next one by number stands in for it. Both are counted; the first is warned of by name.
    cache: with the native engine, "encoded" or "decoded" keeps samples in memory once they were read or decoded, in a share of what is
        free; a dict of memory_mb, keep, folder, disk_mb says more (docs/data.md#caches). Samples are the same.
    snapshot_every_n_steps: how often workers send the state of an iterable dataset. What lies between is drawn again at a resume.

    state_dict() is the place after the last batch that was handed out. After load_state_dict() the next iter() goes on there.
    """

    engine: str
    on_bad_sample: str
    snapshot_every_n_steps: int | None
    cache: Any
    _place: Any
    _loaded: Any
    _prepared: Any
    _latest: Any
    _iterators: Torch | Threads | Native | None

    if TYPE_CHECKING:
        def __init__(self, dataset: Dataset[_Sample], batch_size: int | None = 1, shuffle: bool | None = None,
                     sampler: Sampler[Any] | Iterable[Any] | None = None,
                     batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None, num_workers: int = 0,
                     collate_fn: Callable[[list[_Sample]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False,
                     timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None, multiprocessing_context: Any = None,
                     generator: torch.Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
                     pin_memory_device: str = "", in_order: bool = True, engine: Literal["torch", "threads", "native", "auto"] = "torch",
                     on_bad_sample: Literal["raise", "skip", "replace"] = "raise", snapshot_every_n_steps: int = 1,
                     cache: Literal["encoded", "decoded"] | dict[str, Any] | None = None) -> None: ...
    else:
        def __init__(self, *args: Any, engine: str = "torch", on_bad_sample: str = "raise", snapshot_every_n_steps: int = 1,
                     cache: dict[str, Any] | None = None, **kwargs: Any) -> None:
            if engine not in ENGINES:
                raise ValueError("engine should be one of %s, but got engine=%r" % (", ".join(map(repr, ENGINES)), engine))
            if on_bad_sample not in POLICIES:
                raise ValueError("on_bad_sample should be one of %s, but got on_bad_sample=%r" % (", ".join(map(repr, POLICIES)), on_bad_sample))
            if caching.described(cache) is not None and engine not in ("native", "auto"):
                raise ValueError("cache is for flatout's own engine: engine='native' or engine='auto'")
            if snapshot_every_n_steps is not None:
                snapshot_every_n_steps = _steps(snapshot_every_n_steps)
            self.cache = cache
            self.engine, self.on_bad_sample, self.snapshot_every_n_steps = engine, on_bad_sample, snapshot_every_n_steps
            self._place = self._loaded = None  # where the next iter() goes on
            self._prepared = None  # an iterator that state_dict() made, for the next iter()
            self._latest = None  # whose place state_dict() tells
            self._iterators = None  # who makes them
            super().__init__(*args, **kwargs)
            self._choose()

    @property
    def multiprocessing_context(self) -> Any:
        """As torch's: the context that worker processes are started by, or None."""
        rebuilt.look(self, sys._getframe(1))
        return torch.utils.data.DataLoader.multiprocessing_context.fget(self)  # type: ignore[attr-defined]

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        torch.utils.data.DataLoader.multiprocessing_context.fset(self, context)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        told = {"batch_size": self.batch_size, "num_workers": self.num_workers, "engine": self.engine, "on_bad_sample": self.on_bad_sample}
        return f"<flatout.torch.DataLoader of {type(self.dataset).__qualname__}: {', '.join(f'{name}={value!r}' for name, value in told.items())}>"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, copy and deepcopy: all but what belongs to this process. A copy counts anew, and begins its own epochs: at the
        place that was loaded, where no iter() went on there yet."""
        state: dict[str, Any] = super().__getstate__().copy()  # type: ignore[attr-defined]
        state.update(_iterator=None, _prepared=None, _latest=None, _iterators=None)
        state.pop("_stats", None)
        return state

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._choose()

    def _choose(self) -> None:
        self._iterators, reason = native.choose(self)
        self._stats = Stats(self.on_bad_sample)
        self._stats.uses(self._iterators.engine, reason)

    def check_worker_number_rationality(self) -> None:
        """As torch's, where torch's worker processes make the batches: warns of more of them than there are CPUs."""
        if self.engine == "torch" or self._iterators is not None and self._iterators.engine == "torch":  # torch warns of processes
            super().check_worker_number_rationality()

    def _get_iterator(self) -> Any:
        iterator, self._prepared = self._prepared, None
        if iterator is None:
            iterator = self._make_iterator()
        self._latest = iterator.progress()
        return iterator

    def _make_iterator(self) -> Any:
        place, self._place = self._place, None
        before = self._iterators
        self._iterators, reason = native.look_again(self, before)
        if self._iterators is not before:
            self._stats.uses(self._iterators.engine, reason)
            place = None if place is None else place_of(self._loaded, self)
        if place is None:
            return self._iterators.make(self)
        if not place[FINISHED]:
            return self._iterators.make(self, place)
        return begin_behind(place[INDICES], self, lambda: self._iterators.make_behind(self, place))

    def state_dict(self) -> dict[str, Any]:
        """The place after the last batch that was handed out: numbers, text, lists and dicts, but for what objects of yours put in.
        In the main process alone; at any time."""
        if self._place is None and self._latest is None:
            self._prepared = self._make_iterator()
            self._latest = self._prepared.progress()
        state: dict[str, Any] = self._latest.state_dict() if self._place is None else self._loaded
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """The next iter() goes on at that place; {} begins anew. ValueError of what is no such state, or where this loader cannot go on
        there, as with another num_workers where a worker holds a part of the state."""
        place = place_of(state_dict, self) if state_dict else None
        self._iterator = self._prepared = self._latest = None
        self._place, self._loaded = place, state_dict

    def stats(self) -> dict[str, Any]:
        """Since this loader was made: samples, batches, bad_samples, first_bad_sample, seconds that the program waited for batches
        (waiting_s) and that were spent on making them (fetching_s, summed over workers or threads), and the engine in use; more of
        the native one, or why it is not in use with "auto" (docs/data-torch.md)."""
        return self._stats.as_dict(self._iterators.figures())  # type: ignore[union-attr]


def _steps(steps: Any) -> int:
    """Also NumPy's whole numbers; no bool."""
    what = "snapshot_every_n_steps should be a whole number from 0 on, but got snapshot_every_n_steps=%r" % (steps,)
    try:
        made = operator.index(None if isinstance(steps, bool) else steps)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(what) from None
    if made < 0:
        raise ValueError(what)
    return made


def _signature() -> Any:
    """torch's arguments and ours: frameworks build loaders anew from what they see here."""
    ours = inspect.signature(DataLoader.__init__).parameters
    theirs = inspect.signature(torch.utils.data.DataLoader.__init__).parameters
    named = [one for one in ours.values() if one.kind is inspect.Parameter.KEYWORD_ONLY]
    return inspect.Signature([*theirs.values(), *named])


DataLoader.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
