"""Sets the loader knobs on a DataLoader just before it builds an iterator.

Until then torch itself looks at its attributes, so setting them is what the
constructor's arguments would have done. Only training loaders are touched: those
whose samples a backward or an update followed, and before that is known, those
that build an iterator while gradients are enabled and the model, once it is known,
is in training mode. A loader that was taken for one wrongly (a program that
evaluates before it trains) gets its own arguments back, at the next evaluation or
after two rounds that fed no training.

Subclasses (Lightning's) and wrappers (accelerate's shards) end in
DataLoader.__iter__ too; one that does not keeps its own arguments, and the knob
says that no training loader was there.
"""

from __future__ import annotations

import sys
import weakref

from .engine import LoadingEngine
from .parked import Parked
from .persistent_workers import draw_what_is_missing
from .put import put
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Iterator

    from .._native import Native
    from .agreement import Agreement
    from .words import Words

_ATTRIBUTES = ("num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "timeout")
_ROUNDS_BEFORE_JUDGING = 2
_NO_LOADER = "no training loader of torch.utils.data was there when the model first ran"
_ITERATED_ITSELF = "; a WebDataset pipeline that the program iterates itself makes its own batches: give it to DataLoader(dataset, batch_size=None)"
_EVALUATED = "the loader that took it feeds an evaluation only, and has its own arguments back"


class LoaderKnobs:
    def __init__(self, native: Native, torch: ModuleType, words: Words, asked: Any, agreement: Agreement) -> None:
        self.native = native
        self.torch = torch
        self.words = words
        self.agreement = agreement
        self.knobs = []
        for kind, value in asked:
            wrong = kind.wrong(value)
            if wrong is None:
                self.knobs.append((kind, value))
            else:
                words.say(kind.id, value, False, wrong)
        self.states: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # loader -> _State
        self.model: Any = None  # weak reference
        self.driven = False  # a tuner switches them
        self.gate: Any = None  # GateRuns, where driven
        self.parked: list[Parked] = []  # where driven, of loaders whose iterators the program holds
        self.batches: list[Any] = []  # batch.size and then batch.accumulate, where the plan sets them

    def look(self, module: Any, _device: Any) -> None:
        """Before a training forward of the model."""
        self.model = weakref.ref(module)
        for kind, value in self.knobs:
            if kind.id not in self.words.said:
                more = _ITERATED_ITSELF if kind is LoadingEngine and "webdataset.pipeline" in sys.modules else ""
                self.words.say(kind.id, value, False, _NO_LOADER + more)

    def before_iterator(self, loader: Any, number: int | None) -> None:
        """`number`: the loader's, None before its first iterator."""
        if not (self.knobs or self.batches or self.parked) or self.torch.utils.data.get_worker_info() is not None:
            return
        state = self.states.get(loader)
        trains = self._trains(state, number)
        for batches in reversed(self.batches):
            batches.join(loader)
        for batches in self.batches:
            batches.before_iterator(loader, trains)
        if state is None and not trains:
            return
        if state is None:
            state = self.states[loader] = _State(loader)
        state.rounds += 1
        had = _attributes(loader)
        if not trains:
            state.restore(loader)
            LoadingEngine.undo(loader)
            state.outcomes.clear()
            self._say(_EVALUATED)
        else:
            self._set(loader, state)
        if _attributes(loader) != had and getattr(loader, "_iterator", None) is not None:
            loader._iterator = None  # workers that persist would go on as they were started
        if not state.own["persistent_workers"]:
            draw_what_is_missing(self.torch, loader)

    def iterated(self, loader: Any, number: int, iterator: Any) -> None:
        """The program holds this iterator now."""
        if not self.driven:
            return
        parked = next((one for one in self.parked if one.loader is loader), None) or Parked(self.native, self.torch, loader, number, self.gate)
        parked.begin(iterator, self._key(loader))
        self.parked = [one for one in self.parked if one is not parked and one.alive()] + [parked]

    def iterators(self) -> list[Any]:
        """Those that the program holds."""
        return [parked.own() for parked in self.parked if parked.alive()]

    def switch(self, asked: Any) -> None:
        """Other settings, at the end of a step."""
        self.knobs = [(kind, value) for kind, value in asked if kind.wrong(value) is None]
        for kind, value in asked:
            self.words.forget(kind.id)
        for parked in self.parked:
            loader = parked.loader
            if not parked.alive() or not self._trains(self.states.get(loader), parked.number):
                continue
            state = self.states.get(loader)
            if state is None:
                state = self.states[loader] = _State(loader)
            had = _attributes(loader)
            state.outcomes.clear()
            if all(kind is not LoadingEngine for kind, _value in self.knobs):
                LoadingEngine.undo(loader)  # else it goes on, with what it has cached
            self._set(loader, state)
            if _attributes(loader) != had and getattr(loader, "_iterator", None) is not None:
                loader._iterator = None
            parked.switch(self._key(loader))

    def _key(self, loader: Any) -> Any:
        """By what two iterators of a loader differ."""
        state = self.states.get(loader)
        outcomes = {} if state is None else state.outcomes
        return tuple((kind.id, value) for kind, value in self.knobs if outcomes.get(kind, (None,))[0] is None and kind in outcomes)

    def _trains(self, state: Any, number: int | None) -> Any:
        fed = None if number is None else self.native.loader_fed_training(number)
        if fed is True:
            return True
        if fed is False and state is not None and state.rounds >= _ROUNDS_BEFORE_JUDGING:
            return False
        return self._training_now()

    def _training_now(self) -> bool:
        if not self.torch.is_grad_enabled():
            return False
        module = self.model() if self.model is not None else None
        return module is None or all(part.training for part in _wrapped(module))

    def _set(self, loader: Any, state: Any) -> None:
        state.restore(loader)
        for kind, value in self.knobs:
            more = {}
            try:
                reason = self.agreement.settle(kind.id, kind.refused(self.torch, loader, value))
                if reason is None:
                    kind.set(loader, value)
                else:
                    more = self._how_far(kind, loader)
                    if hasattr(kind, "undo"):
                        kind.undo(loader)
            except Exception as error:
                reason = cause(error)
            own = kind.own if kind.attribute is None else state.own[kind.attribute]
            state.outcomes[kind] = (reason, own, more)
        state.ours = _attributes(loader)
        self._say(None)

    def _how_far(self, kind: Any, loader: Any) -> dict[str, Any]:
        most = kind.most(self.torch, loader) if hasattr(kind, "most") else None
        return {} if most is None else {"most": most}

    def _say(self, otherwise: Any) -> None:
        """Over all training loaders: set in one is set; the others are counted."""
        for kind, value in self.knobs:
            outcomes = [state.outcomes[kind] for state in self.states.values() if kind in state.outcomes]
            took = [own for reason, own, _more in outcomes if reason is None]
            if took:
                more = {"loaders_left_out": len(outcomes) - len(took)} if len(took) < len(outcomes) else {}
                self.words.say(kind.id, value, True, None, took[0], **more)
            elif outcomes:
                reason, own, more = outcomes[-1]
                self.words.say(kind.id, value, False, reason, own, **more)
            elif otherwise is not None:
                self.words.say(kind.id, value, False, otherwise)


class _State:
    """One training loader: the program's own arguments, and those that we set."""

    def __init__(self, loader: Any) -> None:
        self.own = _attributes(loader)
        self.ours = dict(self.own)
        self.rounds = 0
        self.outcomes: dict[Any, Any] = {}  # kind -> (reason or None, own value)

    def restore(self, loader: Any) -> None:
        """What differs from what we set, the program has changed since: that is its own."""
        for name, value in _attributes(loader).items():
            if value != self.ours[name]:
                self.own[name] = value
            put(loader, name, self.own[name])
        self.ours = dict(self.own)


def _wrapped(module: Any) -> Iterator[Any]:
    """The module and, where it is a wrapper (DDP, torch.compile), what it wraps: the
    wrapper stays in training mode when the program sets the model inside to eval()."""
    for _ in range(8):
        yield module
        names = list(module._modules)
        if names not in (["module"], ["_orig_mod"]):
            return
        module = module._modules[names[0]]


def _attributes(loader: Any) -> dict[str, Any]:
    return {name: getattr(loader, name, None) for name in _ATTRIBUTES}
