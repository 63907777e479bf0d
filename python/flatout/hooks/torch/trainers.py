"""transformers.Trainer and Lightning: their arguments, and their checkpoints.

Nothing waits for their import: whenever the program builds a DataLoader or an
optimizer, classes that are there by then are hooked. Both frameworks build one
or the other before their loop starts.
"""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .._native import Native

PHASE, CALLBACK = 0, 7
CHECKPOINT = 8

# A loop's own methods that write a checkpoint, with all that belongs to it.
_CHECKPOINTS = (
    ("transformers.trainer", "Trainer", "_save_checkpoint"),
    ("transformers.trainer", "Trainer", "save_model"),
    ("transformers.modeling_utils", "PreTrainedModel", "save_pretrained"),
    ("accelerate.accelerator", "Accelerator", "save_state"),
    ("lightning.pytorch.trainer.trainer", "Trainer", "save_checkpoint"),
    ("pytorch_lightning.trainer.trainer", "Trainer", "save_checkpoint"),
    ("safetensors.torch", "", "save_file"),
)
# Called once a training, when its arguments are final.
_BEGINS = (
    ("transformers.trainer_callback", "CallbackHandler", "on_train_begin", "transformers"),
    ("lightning.pytorch.loops.fit_loop", "_FitLoop", "on_run_start", "lightning"),
    ("pytorch_lightning.loops.fit_loop", "_FitLoop", "on_run_start", "pytorch_lightning"),
)
# Those that change what the device or the loader does.
_TRAINING_ARGUMENTS = (
    "per_device_train_batch_size",
    "gradient_accumulation_steps",
    "gradient_checkpointing",
    "dataloader_num_workers",
    "dataloader_pin_memory",
    "dataloader_persistent_workers",
    "dataloader_prefetch_factor",
    "bf16",
    "fp16",
    "tf32",
    "torch_compile",
    "optim",
)
_TRAINER_ATTRIBUTES = ("precision", "accumulate_grad_batches", "num_devices", "num_nodes")


class Trainers:
    def __init__(self, native: Native) -> None:
        self.native = native
        self.said: set[Any] = set()
        self.missing: list[Any] = [(target, self._checkpoint) for target in _CHECKPOINTS]
        self.missing += [(target[:3], self._begin(target[3])) for target in _BEGINS]

    def look(self) -> None:
        """Hook what has been imported since."""
        self.missing = [entry for entry in self.missing if not self._hook(*entry)]

    def _hook(self, target: Any, put: Any) -> bool:
        module, owner, name = target
        try:
            # Past what a module imports when asked, which the program did not ask for.
            there = object.__getattribute__(sys.modules[module], "__dict__")
            holder = there[owner] if owner else sys.modules[module]
            if not owner and name not in there:
                return False
            put(holder, name, getattr(holder, name))
        except (KeyError, AttributeError):  # not there, or still being imported
            return False
        return True

    def _checkpoint(self, holder: Any, name: str, _function: Any) -> None:
        self.native.hook(holder, name, PHASE, CHECKPOINT)

    def _begin(self, package: str) -> Callable[..., Any]:
        def begun(args: tuple[Any, ...], _nothing: object) -> None:
            self._say(package, args)

        return lambda holder, name, _function: self.native.hook(holder, name, CALLBACK, before=begun)

    def _say(self, package: str, args: tuple[Any, ...]) -> None:
        of_lightning = package != "transformers"
        arguments = _lightning_arguments(args[0].trainer) if of_lightning else _training_arguments(args[1])
        facts = {
            "name": "lightning.Trainer" if of_lightning else "transformers.Trainer",
            "version": str(getattr(sys.modules.get(package), "__version__", "")),
            "args": arguments,
        }
        steps = _lightning_steps(args[0].trainer) if of_lightning else getattr(args[2], "max_steps", None)
        if type(steps) is int and steps > 0:
            facts["steps"] = steps
        text = json.dumps(facts)
        if text not in self.said and len(self.said) < 8:
            self.said.add(text)
            self.native.fact("framework", text)


def _training_arguments(arguments: Any) -> Any:
    known = vars(arguments)  # fields alone: some of its properties start devices
    return _plain({name: known.get(name) for name in _TRAINING_ARGUMENTS})


def _lightning_arguments(trainer: Any) -> Any:
    facts = {name: getattr(trainer, name, None) for name in _TRAINER_ATTRIBUTES}
    facts["strategy"] = type(trainer.strategy).__name__
    return _plain(facts)


def _lightning_steps(trainer: Any) -> Any:
    """Updates of the whole training; None where nothing bounds them. As its own
    estimated_stepping_batches, which may build a loader that is not there yet."""
    most = trainer.max_steps if trainer.max_steps >= 0 else None
    batches, epochs = trainer.num_training_batches, trainer.max_epochs
    if type(batches) is not int or epochs is None or epochs < 0:
        return most
    of_epochs = -(-batches // trainer.accumulate_grad_batches) * epochs
    return of_epochs if most is None else min(most, of_epochs)


def _plain(values: Any) -> dict[str, Any]:
    plain = {name: getattr(value, "value", value) for name, value in values.items()}
    return {name: value for name, value in plain.items() if isinstance(value, (bool, int, float, str))}
