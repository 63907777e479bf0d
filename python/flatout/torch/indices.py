"""The order of an epoch: draws from the sampler exactly as torch does, and can be put back to any place of it.

A sampler with state_dict (or one whose iterator has it) is asked for its state after a draw. Any other is drawn anew from
the random states of its start: only numbers are drawn, no sample is read.
"""

from __future__ import annotations

import itertools

import torch
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _InfiniteConstantSampler

from . import random_state
from .stateful import has_state, restore, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .loader import DataLoader

_AT_ITER, _AT_FIRST, _GENERATORS, _PROCESS, _EPOCH = "at_iter", "at_first", "generators", "process", "epoch"
_STATE, _NEXT = "sampler_states", "next_epoch"


class Indices:
    """What takes the place of the loader's index sampler in an iterator: each iter() of it is one epoch.

    `resume`, where given, is for the first epoch: (state, draws, numbers of draws behind those that were already delivered).
    """

    def __init__(self, loader: DataLoader[Any], resume: Any = None) -> None:
        self._whole = index_sampler(loader)
        self._sources = Sources(self._whole, loader.generator)
        self._resume = resume

    def __len__(self) -> int:
        return len(self._whole)

    def __iter__(self) -> IndexIterator:
        return IndexIterator(self._sources, self._resume)

    def next_epochs(self) -> None:
        """From the next iter() on, epochs begin at their beginning."""
        self._resume = None


class Sources:
    """A sampler taken apart: torch's own BatchSampler is done by us, so that the state of what it draws from can be seen."""

    def __init__(self, whole: Any, generator: Any) -> None:
        self.batches = type(whole) is BatchSampler
        self.sampler = whole.sampler if self.batches else whole
        self.size: int | None = whole.batch_size if self.batches else None
        self.drop_last: bool = whole.drop_last if self.batches else False
        self.endless = isinstance(self.sampler, _InfiniteConstantSampler)
        self.generator = generator

    def generators(self) -> dict[str, Any]:
        """The torch.Generators that decide about the order, by name. Asked anew, as users exchange them."""
        inner = getattr(self.sampler, "sampler", None)
        found = {"loader": self.generator, "sampler": getattr(self.sampler, "generator", None),
                 "inner": getattr(inner, "generator", None)}
        return {name: one for name, one in found.items() if hasattr(one, "get_state") and hasattr(one, "manual_seed")}

    def random_states(self) -> Any:
        states = {_GENERATORS: {name: random_state.of_generator(one) for name, one in self.generators().items()}}
        if type(self.sampler) not in (SequentialSampler, _InfiniteConstantSampler) and not self._own_generator():
            states[_PROCESS] = random_state.of_process()
        return states

    def _own_generator(self) -> bool:
        return type(self.sampler) is RandomSampler and self.sampler.generator is not None

    def set_random_states(self, states: Any) -> None:
        if _PROCESS in states:
            random_state.set_process(states[_PROCESS])
        self.set_generators(states)

    def set_generators(self, states: Any) -> None:
        there = self.generators()
        for name, text in states[_GENERATORS].items():
            if name in there:
                random_state.set_generator(there[name], text)

    def epoch(self) -> Any:
        """Of samplers that are given the number of an epoch, as DistributedSampler is."""
        number = getattr(self.sampler, "epoch", None)
        return number if callable(getattr(self.sampler, "set_epoch", None)) and isinstance(number, int) else None

    def draws_of_process(self) -> Any:
        """How many seeds a new epoch takes from the process's generator: the workers' and RandomSampler's."""
        return (self.generator is None) + (type(self.sampler) is RandomSampler and self.sampler.generator is None)


def begin_behind(end: Any, loader: DataLoader[Any], make_iterator: Any) -> Any:
    """make_iterator() for the epoch after the one whose end_state() was `end`.

    Seeds that come from the process's generator are those that it would have given then; it is advanced as they would have.
    """
    sources = Sources(index_sampler(loader), loader.generator)
    sources.set_generators(end)
    if end[_STATE] is not None:
        restore(sources.sampler, end[_STATE]["sampler"])
    if end[_NEXT] is None:
        return make_iterator()
    with random_state.untouched():
        random_state.set_generator(None, end[_NEXT])
        iterator = make_iterator()
        iterator._sampler_iter.hold_first()
    for _ in range(sources.draws_of_process()):
        torch.empty((), dtype=torch.int64).random_()
    return iterator


def index_sampler(loader: DataLoader[Any]) -> Any:
    return loader.batch_sampler if loader.batch_sampler is not None else loader.sampler


class IndexIterator:
    """One epoch. `drawn` counts what was drawn since its beginning, also before a resume."""

    def __init__(self, sources: Sources, resume: Any = None) -> None:
        self._sources = sources
        self._held: list[Any] = []
        self._begun = False
        self._resume = resume
        self._skip: frozenset[Any] = frozenset()
        self._base = None  # a sampler's states, and `drawn` when they were taken
        self.drawn = 0
        self.on_pass: Callable[[Any], object] | None = None  # where set, called with each draw that is made again and not handed out
        if resume is not None:
            self.start, self.drawn, ahead = resume
            self._skip = frozenset(ahead)
            return
        self.start = {_EPOCH: sources.epoch()}
        if not sources.batches:
            # torch calls iter() here, and BatchSampler's at the first draw.
            self._take_up()

    def __iter__(self) -> IndexIterator:
        return self

    def __next__(self) -> Any:
        self.begin()
        while self.drawn in self._skip:
            self._pass()
            self.drawn += 1
        item = self._held.pop() if self._held else self._draw()
        self.drawn += 1
        return item

    def begin(self) -> None:
        """Fixes the order of this epoch, whatever is drawn elsewhere before its first index."""
        if self._begun:
            return
        self._begun = True
        if self._resume is not None:
            self._go_back()
            return
        if self._sources.batches:
            self._take_up()
        self.start[_AT_FIRST] = self._sources.random_states()

    def hold_first(self) -> None:
        """begin(), and the first draw: random numbers that it takes are taken now."""
        self.begin()
        if self.drawn == 0 and not self._held and not self.keeps_state and not self._sources.endless:
            self._hold()

    def _hold(self) -> None:
        try:
            self._held.append(self._draw())
        except StopIteration:
            pass

    @property
    def keeps_state(self) -> Any:
        """Whether the sampler, or what iterates over it, has a state that must be taken after each draw."""
        return has_state(self._sources.sampler) or has_state(self._inner)

    def snapshot(self) -> dict[str, Any]:
        """The sampler's states after the last draw."""
        return {"sampler": state_of(self._sources.sampler), "iterator": state_of(self._inner), "drawn": self.drawn}

    def state(self, snapshot: Any = None) -> dict[str, Any]:
        """What Indices takes as the first part of `resume`; with a snapshot where keeps_state."""
        self.begin()
        return dict(self.start, **({_STATE: snapshot} if snapshot is not None else {}))

    def state_now(self) -> Any:
        return self.state(self.snapshot() if self.keeps_state else None)

    def end_state(self) -> dict[str, Any]:
        """At the end of an epoch: all that the order of the next one depends on, for begin_behind()."""
        sources = self._sources
        return {_GENERATORS: sources.random_states()[_GENERATORS],
                _STATE: self.snapshot() if self.keeps_state else None,
                _NEXT: random_state.of_generator(None) if sources.draws_of_process() else None}

    def _take_up(self) -> None:
        self.start[_AT_ITER] = self._sources.random_states()
        self._inner = iter(self._sources.sampler)

    def _draw(self) -> Any:
        if not self._sources.batches:
            return next(self._inner)
        batch = list(itertools.islice(self._inner, self._sources.size))
        if not batch or (self._sources.drop_last and len(batch) < (self._sources.size or 0)):
            raise StopIteration
        return batch

    def _go_back(self) -> None:
        sources, start = self._sources, self.start
        if start.get(_EPOCH) is not None and sources.epoch() not in (None, start[_EPOCH]):
            sources.sampler.set_epoch(start[_EPOCH])
        if start.get(_STATE) is not None:
            self._restore_sampler(start[_STATE])
            return
        with random_state.untouched():
            sources.set_random_states(start[_AT_ITER])
            self._inner = iter(sources.sampler)
            if start[_AT_FIRST] != start[_AT_ITER]:
                sources.set_random_states(start[_AT_FIRST])
            self._pass_over(self.drawn)
            if self.drawn == 0:
                self._hold()  # the first draw is the one that takes random numbers

    def _restore_sampler(self, snapshot: Any) -> None:
        if _AT_FIRST in self.start:
            self._sources.set_generators(self.start[_AT_FIRST])  # the seeds of the next epoch come from them
        restore(self._sources.sampler, snapshot["sampler"])
        self._inner = iter(self._sources.sampler)
        restore(self._inner, snapshot["iterator"])
        self._pass_over(self.drawn - snapshot["drawn"])

    def _pass_over(self, draws: int) -> None:
        if self._sources.endless:
            return
        for _ in range(draws):
            try:
                self._pass()
            except StopIteration:
                return

    def _pass(self) -> None:
        item = self._draw()
        if self.on_pass is not None:
            self.on_pass(item)
