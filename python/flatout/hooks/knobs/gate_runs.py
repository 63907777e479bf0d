"""Runs of a few steps from one state of the training, so that two settings can be held against each other.

Each block of the tuner's can be such a run. It begins with the state of the first one, and has the
batches that the first one fetched if the tuner wants the same ones. A run reports its losses and how far the
parameters moved, compared with the second run on the same batches. The first run is no reference: batches that
the program had fetched ahead when it began do not come again.
"""

from __future__ import annotations

import copy
import math

from .training_state import TrainingState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

FROM_STATE, SAME_BATCHES = 1, 2  # as in src/wire/control_page.h
_MOST_LOSSES = 512
_STILL = 0.01  # of the largest movement: parameters that move less say nothing


class GateRuns:
    def __init__(self, torch: ModuleType, known: Any, settle: Any) -> None:
        """known() gives the root modules that were called, and the optimizers that were built; settle() waits for the device."""
        self.torch = torch
        self.known = known
        self.settle = settle
        self.state: TrainingState | None = None
        self.asked = 0
        self.losses: list[float] = []
        self.copies: Any = None  # losses on their way from a device, of trial/loss.py
        self.records: dict[Any, list[Any]] = {}  # what Parked is asked for -> its batches
        self.given: dict[Any, int] = {}
        self.yielded: list[tuple[Any, int]] = []  # iterator, and the number of its batches at the state
        self.reference: Any = None

    def begin(self, asked: int, iterators: list[Any]) -> None:
        """At the end of a step, before settings are switched."""
        self._hear_all()
        if not asked:
            if self.state is not None:
                self._put_back()
                self._forget()
            self.asked = 0
            return
        if self.state is None or (self.asked ^ asked) & SAME_BATCHES:
            self._forget()
            self.state = TrainingState(self.torch, *self.known())
            self.yielded = [(iterator, iterator._num_yielded) for iterator in iterators]
        else:
            self._put_back()
        self.asked = asked
        self.losses = []
        self.given = {}

    def _put_back(self) -> None:
        same = bool(self.asked & SAME_BATCHES)
        if self.state is not None:
            self.state.put_back(same)
        if same:
            for iterator, count in self.yielded:
                iterator._num_yielded = count

    def _forget(self) -> None:
        self.state = self.reference = None
        self.records, self.yielded = {}, []

    def _hear_all(self) -> None:
        """Losses that are still on their way belong to the run that ends."""
        if self.asked and self.copies is not None:
            self.settle()
            self.copies.poll()

    def heard(self, value: float) -> None:
        if self.asked and len(self.losses) < _MOST_LOSSES:
            self.losses.append(value)

    def batch(self, key: Any, fetch: Any) -> Any:
        """The next one of a loader's; fetch() makes one."""
        if not self.asked & SAME_BATCHES:
            return fetch()
        record = self.records.setdefault(key, [])
        index = self.given[key] = self.given.get(key, -1) + 1
        if index == len(record):
            record.append(fetch())
        return self._copied(record[index])

    def outcome(self) -> dict[str, Any]:
        """Losses and movement of the run that ends."""
        self._hear_all()
        out: dict[str, Any] = {"losses": [value if math.isfinite(value) else None for value in self.losses]}
        if self.asked & SAME_BATCHES and self.state is not None:
            moved = self.state.moved()
            if self.reference is None:
                self.reference = False  # the first run
            elif self.reference is False:
                self.reference = moved
            else:
                out["moved"] = _beside(self.reference, moved)
        return out

    def _copied(self, value: Any) -> Any:
        """Programs change batches in place."""
        if isinstance(value, self.torch.Tensor):
            made = value.clone()
            return made.pin_memory() if value.is_pinned() else made
        if type(value) is dict:
            return {key: self._copied(one) for key, one in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._copied(one) for one in value)
        return copy.deepcopy(value)


def _beside(reference: Any, moved: Any) -> dict[str, float]:
    """How one run moved the parameters, next to another one: the cosine between both, the ratio of all
    movement, and the least and greatest ratio among parameters that moved in the other one."""
    products = squares = others = 0.0
    ratios = []
    most = max((float((delta**2).mean()) for delta, _weight in reference if delta.numel()), default=0.0)
    for (before, weight), (after, _weight) in zip(reference, moved):
        own, other = float((before**2).sum()), float((after**2).sum())
        products += weight * float((before * after).sum())
        squares += weight * own
        others += weight * other
        if own > 0 and own / before.numel() >= _STILL**2 * most:
            ratios.append(math.sqrt(other / own))
    if squares == 0 or not math.isfinite(squares + others + products):
        return {}
    return {
        "cosine": products / math.sqrt(squares * others) if others > 0 else 0.0,
        "ratio": math.sqrt(others / squares),
        "least": min(ratios, default=1.0),
        "most": max(ratios, default=1.0),
    }
