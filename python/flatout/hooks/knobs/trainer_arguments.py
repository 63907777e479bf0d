"""batch.accumulate in transformers.Trainer and Lightning: both can accumulate, so it is
set as their own arguments, when they have built or taken their training loader and
before they count its batches. Steps, schedules and the last update of an epoch are then
theirs, as with these arguments in the script.
"""

from __future__ import annotations

import sys
import weakref

from .batch_size import _cuts_as_torch_does as cuts_as_torch_does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
_FIT_LOOPS = ("lightning.pytorch.loops.fit_loop", "pytorch_lightning.loops.fit_loop")
_FEW_FRAMES, _MOST_FRAMES = 8, 64


class TrainerArguments:
    """`factor`: (k, 1) accumulates k times as many batches, each 1/k as large; (1, j) the
    opposite. settle(reason) -> that of all ranks; say(reason, effect)."""

    def __init__(self, native: Native, torch: ModuleType, factor: Any, settle: Any, say: Any) -> None:
        self.native = native
        self.torch = torch
        self.factor = factor
        self.settle = settle
        self.say = say
        self.met = False  # transformers' Trainer
        self.of_accelerate: weakref.WeakSet[Any] = weakref.WeakSet()  # loaders that it builds anew, inside of those it gives
        self.of_transformers: list[Any] = []  # (weak reference to its arguments, what puts them back)
        self.of_lightning: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # trainer -> its own accumulate_grad_batches, None: refused
        self.loaders: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # of Lightning -> own size, None: not set
        self.hooked: dict[Any, Any] = {}

    def owns(self, loader: Any) -> bool:
        """Its batches are a framework's."""
        return loader in self.loaders or self.met and loader in self.of_accelerate

    def loader_built(self, loader: Any) -> None:
        self.look()
        if _accelerate_builds():
            self.of_accelerate.add(loader)
        trainer = _trainer_that_builds_its_loader()
        if trainer is not None:
            self.met = True
            self._set_transformers(trainer, loader)

    def look(self) -> None:
        """Lightning's loop takes each training loader by a name of its module's."""
        for name in _FIT_LOOPS:
            module = sys.modules.get(name)
            function = getattr(module, "_process_dataloader", None)
            if function is not None and name not in self.hooked:
                self.hooked[name] = self.native.hook(module, "_process_dataloader", CALLBACK, after=self.processed), function

    def undo(self) -> None:
        for reference, back in self.of_transformers:
            if reference() is not None:
                back()
        self.of_transformers.clear()
        for trainer in list(self.of_lightning):
            self._take_back(trainer)
        for name, (span, function) in self.hooked.items():
            if not self.native.unhook(span):
                sys.modules[name]._process_dataloader = function  # type: ignore[attr-defined]

    # transformers

    def _set_transformers(self, trainer: Any, loader: Any) -> None:
        args = trainer.args
        if any(reference() is args for reference, _ in self.of_transformers):
            return  # they hold already what we set
        batch, steps = args.per_device_train_batch_size, args.gradient_accumulation_steps
        reason = self.settle(_why_not_transformers(trainer) or self._why_not(loader, batch, steps))
        if reason is not None:
            self.of_transformers.append((weakref.ref(args), lambda: None))
            self.say(reason)
            return

        def put(batch: Any, steps: Any) -> None:
            args.per_device_train_batch_size = batch
            args.gradient_accumulation_steps = steps
            trainer._train_batch_size = args.train_batch_size

        self.of_transformers.append((weakref.ref(args), lambda: put(batch, steps)))
        new = self._smaller(batch), self._larger(steps)
        _put(loader, self._smaller(loader.batch_sampler.batch_size))
        put(*new)
        words = "gradient_accumulation_steps %d -> %d, per_device_train_batch_size %d -> %d"
        self.say(None, words % (steps, new[1], batch, new[0]))

    # Lightning

    def processed(self, args: tuple[Any, ...], loader: Any) -> None:
        """args: (trainer, function of the trainer, stage, loader)."""
        if getattr(args[2], "value", args[2]) != "train" or not isinstance(loader, self.torch.utils.data.DataLoader):
            return
        trainer, known = args[0], self.loaders.setdefault(loader, None)
        if trainer not in self.of_lightning:
            own = trainer.accumulate_grad_batches
            reason = self.settle(_why_not_lightning(trainer) or self._why_not_lightning(trainer, loader, own))
            self.of_lightning[trainer] = own if reason is None else None
            if reason is not None:
                self.say(reason)
        own = self.of_lightning[trainer]
        if own is None:
            return
        reason = self._why_not_lightning(trainer, loader, own) if known is None else None
        if reason is not None:  # a further loader
            self._take_back(trainer)
            self.say(reason)
            return
        if known is None:
            known = self.loaders[loader] = loader.batch_sampler.batch_size
            _put(loader, self._smaller(known))
        trainer.accumulate_grad_batches = self._larger(own)
        words = "accumulate_grad_batches %d -> %d, batch_size %d -> %d"
        self.say(None, words % (own, self._larger(own), known, self._smaller(known)))

    def _why_not_lightning(self, trainer: Any, loader: Any, own: Any) -> str | None:
        size = self.loaders.get(loader) or getattr(loader.batch_sampler, "batch_size", 0)
        return self._why_not(loader, size, own)

    def _take_back(self, trainer: Any) -> None:
        own, self.of_lightning[trainer] = self.of_lightning[trainer], None
        if own is None:
            return
        trainer.accumulate_grad_batches = own
        for loader, size in list(self.loaders.items()):
            if size is not None:
                _put(loader, size)
                self.loaders[loader] = None

    # What both need.

    def _smaller(self, batch: Any) -> Any:
        return batch * self.factor[1] // self.factor[0]

    def _larger(self, steps: Any) -> Any:
        return steps * self.factor[0] // self.factor[1]

    def _why_not(self, loader: Any, batch: Any, steps: Any) -> str | None:
        if loader.batch_sampler is None or not cuts_as_torch_does(self.torch, loader.batch_sampler):
            return "the training loader does not batch by torch's own sampler"
        split, joined = self.factor
        if batch % split:
            return "a batch of %d cannot be divided into %d equal parts" % (batch, split)
        if steps % joined:
            return "the program accumulates %d batches, which cannot be joined by %d" % (steps, joined)
        return None


def _put(loader: Any, size: int) -> None:
    loader.batch_sampler.batch_size = size
    if loader.batch_size is not None:
        object.__setattr__(loader, "batch_size", size)  # DataLoader refuses it once it is built


def _accelerate_builds() -> bool:
    frame: Any = sys._getframe(1)
    for _ in range(_FEW_FRAMES):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") == "accelerate.data_loader":
            return True
        frame = frame.f_back
    return False


def _trainer_that_builds_its_loader() -> Any:
    """The transformers.Trainer whose get_train_dataloader() runs now, None = none's does."""
    frame: Any = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == "get_train_dataloader":
            owner = frame.f_locals.get("self")
            kinds = type(owner).__mro__
            if any((kind.__module__, kind.__name__) == ("transformers.trainer", "Trainer") for kind in kinds):
                return owner
        frame = frame.f_back
    return None


def _why_not_transformers(trainer: Any) -> str | None:
    if trainer.args.auto_find_batch_size:
        return "the Trainer looks for a batch size itself (auto_find_batch_size)"
    if getattr(trainer, "is_deepspeed_enabled", False):
        return "DeepSpeed has an accumulation of its own"
    if getattr(trainer.accelerator, "split_batches", False):
        return "accelerate splits each batch over the ranks"
    return None


def _why_not_lightning(trainer: Any) -> str | None:
    if not trainer.lightning_module.automatic_optimization:
        return "the LightningModule makes its updates itself"
    if any(type(callback).__name__ == "GradientAccumulationScheduler" for callback in trainer.callbacks):
        return "a GradientAccumulationScheduler says how many batches are accumulated"
    if "deepspeed" in type(trainer.strategy).__name__.lower():
        return "DeepSpeed has an accumulation of its own"
    for name in ("limit_train_batches", "val_check_interval"):
        if type(getattr(trainer, name, None)) is int:
            return "%s counts batches" % name
    return None
