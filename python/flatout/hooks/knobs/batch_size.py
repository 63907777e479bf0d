"""batch.size: how many samples a training loader puts into one batch.

Needs a loader that batches by torch's own BatchSampler, and at least that many
samples. A batch sampler of the program's own, batch_size=None, and training loaders
whose own batches differ in size are left as they are.
Set: BatchSampler.batch_size and DataLoader.batch_size, so that len(loader) follows;
drop_last stays. A loader that draws its samples in random order is taken for a training
loader as soon as it is built, so that a schedule that is made from len(loader) is as long
as with that size in the script; any other one when its first iterator is built.
Undone: both as they were, where the loader turns out to feed an evaluation.
Learning rate: lr_rule.py, for the ratio of the effective batches.
Draws: the sampler's order of samples is the same, cut into other batches.
"""

from __future__ import annotations

import weakref

from ..core.fields import ByIdentity
from .lr_rule import LearningRate
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from .agreement import Agreement
    from .words import Words

_NO_LOADER = "no training loader of torch.utils.data was there when the model first ran"
_EVALUATED = "the loader that took it feeds an evaluation only, and has its own size back"


class BatchSize(OfTable):
    id = "batch.size"

    def __init__(self, native: Native, torch: ModuleType, value: Any, words: Words, agreement: Agreement) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.agreement = agreement
        self.sized = ByIdentity()  # batch sampler -> _Sized
        self.reasons = ByIdentity()  # loader -> why it was left out
        self.own = None  # the program's size, of the loader that was set last
        self.rates = LearningRate(native, torch, self.ratio, self.batches_of_an_epoch, self._say)

    def ratio(self) -> Any:
        """The new size over the program's, None while no training loader is set."""
        return None if self.own is None else self.value / self.own

    def batches_of_an_epoch(self) -> Any:
        """Of the first training loader; None where it has no length."""
        for sampler in self.sized:
            return _length(sampler)
        return None

    def loader_built(self, loader: Any) -> None:
        if self.torch.utils.data.get_worker_info() is None and self.torch.is_grad_enabled():
            if _draws_at_random(self.torch, loader):
                self._set(loader)

    def join(self, loader: Any) -> None:
        """batch.accumulate has parts to put together."""

    def before_iterator(self, loader: Any, trains: Any) -> None:
        if trains:
            self._set(loader)
            # Ranks with different numbers of batches would wait for each other for ever.
            reason = self.agreement.settle(self.id, self.reasons.get(loader))
            if reason is not None and loader not in self.reasons:
                self._give_back(loader)
                self.reasons[loader] = reason
            self._say()
        elif _sampler(loader) in self.sized:
            self._give_back(loader)
            self._say(_EVALUATED)

    def _give_back(self, loader: Any) -> None:
        self.sized.pop(_sampler(loader)).put(loader, None)
        self.own = next((sized.own for sized in self.sized.values()), None)

    def look(self, _module: Any, _device: Any) -> None:
        if self.id not in self.words.said:
            self._say(_NO_LOADER)

    def _set(self, loader: Any) -> None:
        try:
            reason = self._refused(loader)
            if reason is None:
                sampler = _sampler(loader)
                sized = self.sized.get(sampler) or _Sized(self._own(loader), loader.dataset)
                sized.put(loader, self.value)
                self.own = sized.own
                self.sized[sampler] = sized
                self.reasons.pop(loader, None)
                return
        except Exception as error:
            reason = cause(error)
        self.reasons[loader] = reason

    def _refused(self, loader: Any) -> str | None:
        sampler = loader.batch_sampler
        if sampler is None:
            return "the loader does not batch its samples (batch_size=None)"
        if not _cuts_as_torch_does(self.torch, _sampler(loader)):
            return "the batch sampler %s is the program's own" % type(sampler).__name__
        if getattr(sampler, "split_batches", False):
            return "accelerate splits each batch over the ranks"
        samples = _samples(loader)
        if samples is not None and samples < self.value:
            return "the loader has only %d samples" % samples
        own = self._own(loader)
        if any(sized.own != own for sized in self.sized.values()):
            return "the program's training loaders have batches of different sizes"
        return None

    def _own(self, loader: Any) -> Any:
        """The program's size. A library that builds the loader anew hands ours on."""
        sampler = _sampler(loader)
        if sampler in self.sized:
            return self.sized[sampler].own
        for sized in self.sized.values():
            if sized.feeds(loader.dataset) and sampler.batch_size == self.value:
                return sized.own
        return sampler.batch_size

    def _say(self, otherwise: Any = None) -> None:
        effect = self.rates.effect()
        more = {} if effect is None else {"effect": effect}
        reasons = list(self.reasons.values())
        if self.own is not None:
            if reasons:
                more["loaders_left_out"] = len(reasons)
            self.words.say(self.id, self.value, True, None, self.own, **more)
        elif reasons:
            self.words.say(self.id, self.value, False, reasons[-1])
        elif otherwise is not None:
            self.words.say(self.id, self.value, False, otherwise)


class _Sized:
    """A batch sampler that was set."""

    def __init__(self, own: Any, dataset: Any) -> None:
        self.own = own
        self.dataset = _reference(dataset)

    def feeds(self, dataset: Any) -> bool:
        return self.dataset() is dataset

    def put(self, loader: Any, value: Any) -> None:
        """None: the program's own size."""
        size = self.own if value is None else value
        sampler = loader.batch_sampler
        for holder in (sampler, _sampler(loader)):
            if holder.batch_size != size:
                holder.batch_size = size
        if loader.batch_size is not None and loader.batch_size != size:
            object.__setattr__(loader, "batch_size", size)  # DataLoader refuses it once it is built


def _reference(dataset: Any) -> Any:
    try:
        return weakref.ref(dataset)
    except TypeError:  # a list, say
        return lambda: dataset


def _sampler(loader: Any) -> Any:
    """The one that cuts into batches: below accelerate's, which deals them out to ranks."""
    sampler = loader.batch_sampler
    if type(sampler).__name__ == "BatchSamplerShard" and type(sampler).__module__.startswith("accelerate."):
        return sampler.batch_sampler
    return sampler


def _cuts_as_torch_does(torch: ModuleType, sampler: Any) -> bool:
    kind, plain = type(sampler), torch.utils.data.BatchSampler
    return isinstance(sampler, plain) and kind.__iter__ is plain.__iter__ and kind.__len__ is plain.__len__


def _samples(loader: Any) -> Any:
    """How many an epoch has, None where that is not known."""
    return _length(loader.dataset if loader._dataset_kind == 1 else _sampler(loader).sampler)


def _length(sized: Any) -> int | None:
    try:
        return len(sized)
    except Exception:  # an IterableDataset, or a sampler without an end
        return None


def _draws_at_random(torch: ModuleType, loader: Any) -> bool:
    sampler = getattr(_sampler(loader), "sampler", None)
    if sampler is None or loader._dataset_kind == 1 or isinstance(sampler, torch.utils.data.SequentialSampler):
        return False
    return bool(getattr(sampler, "shuffle", True))  # DistributedSampler says it so
