"""batch.accumulate: each batch is trained in parts, or parts are joined; what an update sees stays.

k = 2, 3, ...: batches are drawn in k parts, and updates are made with each k-th. "1/j":
where a framework accumulates, its batches become j times as large, and it accumulates
1/j as many.
Set: in transformers.Trainer and Lightning as their own arguments (trainer_arguments.py).
In a plain script a training loader's batch sampler, when its iterator is built, and what
the loop calls between two draws (deferred.py). A script that accumulates itself is left
alone: its counter cannot be moved.
Needs a map dataset with torch's own BatchSampler, whose batches can be divided by k, and
one update a batch (deferred_checks.py). An IterableDataset does not tell which of its
batches is the last one.
Undone: whole batches again, from the next one that is cut on.
Draws: the sampler's order of samples is the same; what the model draws (dropout) differs.
"""

from __future__ import annotations

import weakref

from .batch_parts import Parts
from .batch_size import _cuts_as_torch_does as cuts_as_torch_does
from .deferred import Deferral
from .trainer_arguments import TrainerArguments
from .values import OfTable, joined
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from .agreement import Agreement
    from .words import Words

_NO_LOADER = "no training loader of torch.utils.data was there when the model first ran"
_EVALUATED = "the loader that took it feeds an evaluation only, and has its own batches back"
_COMPILES = "the program compiles a function of its own, and an update in compiled code cannot be deferred"
_ONLY_FRAMEWORKS = "only what transformers.Trainer or Lightning accumulate can be joined"


class Accumulate(OfTable):
    id = "batch.accumulate"

    def __init__(self, native: Native, torch: ModuleType, value: Any, words: Words, agreement: Agreement) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.count = value if type(value) is int else 0
        self.refusal: Any = None  # for good
        self.parts: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # loader -> Parts
        self.own: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # loader -> (batch sampler, batch size)
        self.agreement = agreement
        self.deferral = Deferral(native, torch, self.refuse, self.function_compiled)
        factor = (self.count, 1) if self.count else (1, joined(value))
        self.trainers = TrainerArguments(native, torch, factor, self._settle, self._of_trainer)

    def install_last(self) -> None:
        """Around all other hooks."""
        if self.count > 1:
            self.deferral.install()

    def optimizer_built(self, optimizer: Any) -> None:
        self.trainers.look()
        if self.count > 1:
            self.deferral.optimizer_built(optimizer)

    def loader_built(self, loader: Any) -> None:
        if self.torch.utils.data.get_worker_info() is None:
            self.trainers.loader_built(loader)

    def look(self, _module: Any, _device: Any) -> None:
        if self.id not in self.words.said:
            self.words.say(self.id, self.value, False, _NO_LOADER)
        elif self.refusal is None and self.parts and not self.agreement.alone():
            reason = self._settle(None)
            if reason is not None:
                self.refuse(reason)  # one rank has given it up since

    def undo(self, reason: str = "it was taken back") -> None:
        self.trainers.undo()
        self.refuse(reason)
        self.deferral.uninstall()
        for loader in list(self.own):
            self.join(loader)

    def refuse(self, reason: str) -> None:
        """From now on everything is the program's own again."""
        if self.refusal is None:
            self.refusal = reason
            self.deferral.end()
            for parts in self.parts.values():
                parts.off = True
            if self.parts:
                self._settle(reason)
            self.words.say(self.id, self.value, False, reason, 1)

    def function_compiled(self) -> None:
        """It ends the knob in a loop of the program's own; a framework that accumulates goes on."""
        if self.parts:
            self.refuse(_COMPILES)

    # A loader's iterator is about to be built: first join(), then what sets its batches, then this.

    def join(self, loader: Any) -> None:
        """Its own batches again."""
        if loader in self.own:
            sampler, size = self.own.pop(loader)
            if isinstance(loader.batch_sampler, Parts):
                _put(loader, sampler, size)

    def before_iterator(self, loader: Any, trains: Any) -> None:
        if self.refusal is not None or self.trainers.owns(loader):
            return
        if not trains:
            if loader in self.parts and self.words.said:
                self._say(False, _EVALUATED)
            return
        try:
            reason = self._settle(self._refused(loader))
        except Exception as error:
            reason = cause(error)
        if reason is not None:
            self.refuse(reason)
        else:
            self._split(loader)

    def _refused(self, loader: Any) -> str | None:
        if self.count == 0:
            return _ONLY_FRAMEWORKS
        if self.deferral.over:
            return _COMPILES
        if loader in self.trainers.of_accelerate:
            return "accelerate prefetches batches: it has gradient_accumulation_steps of its own"
        sampler = loader.batch_sampler
        if sampler is None:
            return "the loader does not batch its samples (batch_size=None)"
        if loader._dataset_kind == 1:
            return "an IterableDataset does not tell which of its batches is the last one"
        if not cuts_as_torch_does(self.torch, sampler):
            return "the batch sampler %s is the program's own" % type(sampler).__name__
        if not getattr(loader, "in_order", True):
            return "the loader may give its batches in another order (in_order=False)"
        if sampler.batch_size % self.count:
            return "a batch of %d cannot be divided into %d equal parts" % (sampler.batch_size, self.count)
        return None

    def _split(self, loader: Any) -> None:
        if self.count > 1:
            parts = self.parts.get(loader)
            if parts is None or parts.whole is not loader.batch_sampler:
                parts = self.parts[loader] = Parts(loader.batch_sampler, self.count)
                if getattr(loader, "_iterator", None) is not None:
                    loader._iterator = None  # workers that persist would go on with the old sampler
            self.own[loader] = loader.batch_sampler, loader.batch_size
            _put(loader, parts, parts.batch_size)
        self._say(True)

    def _say(self, applied: Any, reason: str | None = None) -> None:
        effect = {}
        for parts in self.parts.values() if applied else ():
            effect["effect"] = "a batch of %d in %d parts of %d" % (
                parts.whole.batch_size, self.count, parts.batch_size,
            )  # fmt: skip
        self.words.say(self.id, self.value, applied, reason, 1, **effect)

    def _settle(self, reason: str | None) -> str | None:
        return self.agreement.hold(self.id, reason)

    def _of_trainer(self, reason: str, effect: Any = None) -> None:
        """What became of it in a framework."""
        if reason is None:
            self.words.say(self.id, self.value, True, None, 1, effect=effect)
        else:
            self.words.say(self.id, self.value, False, reason, 1)


def _put(loader: Any, sampler: Any, size: int) -> None:
    for name, value in (("batch_sampler", sampler), ("batch_size", size)):
        object.__setattr__(loader, name, value)  # DataLoader refuses it once it is built
