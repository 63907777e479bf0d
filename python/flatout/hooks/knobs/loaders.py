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

from .continued import Continued, loud, quiet
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
        self.of_plan: Any = None  # its knobs, once others were switched
        self.tried: list[Any] = []  # within: datasets and collate functions of loaders that were switched
        self.within = False  # and inside the real training: continued.py
        self.gate: Any = None  # GateRuns, where driven
        self.parked: list[Any] = []  # Parked or Continued, where driven, of loaders whose iterators the program holds
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
        knobs = self._knobs_for(loader)
        if state is None and not (trains and (knobs or not self.within)):
            return
        if state is None:
            state = self.states[loader] = _State(loader)
        state.rounds += 1
        had = _attributes(loader)
        if self._begins_anew(loader, state):
            state.restore(loader)
            return
        if not trains:
            state.restore(loader)
            LoadingEngine.undo(loader)
            state.outcomes.clear()
            self._say(_EVALUATED)
        else:
            self._set(loader, state, knobs)
            if self.within and loader.num_workers != state.own["num_workers"]:
                quiet(loader)
        if _attributes(loader) != had and getattr(loader, "_iterator", None) is not None:
            loader._iterator = None  # workers that persist would go on as they were started
        if not state.own["persistent_workers"]:
            draw_what_is_missing(self.torch, loader)

    def _knobs_for(self, loader: Any) -> Any:
        return self.knobs if not self.within or self.of_plan is None or self._was_tried(loader) else self.of_plan

    def _was_tried(self, loader: Any) -> bool:
        """Inside the training, settings go from one loader to the next only where it has the same dataset, or one that is alike."""
        return any(_alike(loader.dataset, one) and loader.collate_fn is collate for one, collate in self.tried)

    def iterated(self, loader: Any, number: int, iterator: Any) -> None:
        """The program holds this iterator now."""
        if not self.driven:
            return
        if self.within:
            loud(loader)
        parked = next((one for one in self.parked if one.loader is loader and self._is_of(one, iterator)), None) or self._behind(loader, number)
        key, state = self._key(loader), self.states.get(loader)
        again = state is not None and self._begins_anew(loader, state) and parked.own is not None and parked.own() is iterator
        parked.begin(iterator, parked.own_key if again else key)
        if again:
            self._set(loader, state)
            parked.switch(key)
        self.parked = [one for one in self.parked if one is not parked and one.alive()] + [parked]

    def _begins_anew(self, loader: Any, state: Any) -> bool:
        """Inside the training, the iterator of a loader whose workers persist stays the one that the program began with."""
        return bool(self.within and state.own["persistent_workers"] and state.own["num_workers"] and getattr(loader, "_iterator", None) is not None)

    def _is_of(self, parked: Any, iterator: Any) -> bool:
        """Inside the training, an iterator that the program still holds stays what it is: a second one is a matter of its own."""
        return not self.within or not parked.alive() or parked.own() is iterator

    def _behind(self, loader: Any, number: int | None) -> Any:
        if self.within:
            made = Continued(self.torch, loader, number)
            made.drew = any(one.loader is loader and (one.drew or (one.sampler is not None and one.sampler.drew)) for one in self.parked)
            return made
        return Parked(self.native, self.torch, loader, number, self.gate)

    def stay(self) -> None:
        """The tuner switches no more."""
        for parked in self.parked:
            parked.stay()

    def iterators(self) -> list[Any]:
        """Those that the program holds."""
        return [parked.own() for parked in self.parked if parked.alive()]

    def switch(self, asked: Any) -> None:
        """Other settings, at the end of a step."""
        if self.of_plan is None:
            self.of_plan = self.knobs
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
            why = parked.refused() if self.within and self.knobs else None
            if why is not None:
                state.outcomes = {kind: (why, None, {}) for kind, _value in self.knobs}
                self._say(None)
                continue
            if all(kind is not LoadingEngine for kind, _value in self.knobs):
                LoadingEngine.undo(loader)  # else it goes on, with what it has cached
            self._set(loader, state)
            if self.within and not self._was_tried(loader):
                self.tried.append((loader.dataset, loader.collate_fn))
            if _attributes(loader) != had and getattr(loader, "_iterator", None) is not None and not self.within:
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

    def _set(self, loader: Any, state: Any, knobs: Any = None) -> None:
        state.restore(loader)
        for kind, value in self.knobs if knobs is None else knobs:
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


def _alike(one: Any, other: Any) -> bool:
    """The same dataset, or a new one of its class from the same parts."""
    if one is other:
        return True
    if type(one) is not type(other) or not hasattr(one, "__dict__") or vars(one).keys() != vars(other).keys():
        return False
    plain = (int, float, str, bool, type(None))
    return all(value is vars(other)[name] or (type(value) in plain and value == vars(other)[name]) for name, value in vars(one).items())


def _attributes(loader: Any) -> dict[str, Any]:
    return {name: getattr(loader, name, None) for name in _ATTRIBUTES}
