"""precision.fp16: the model computes in float16, and what flows back through it is scaled.

Needs a CUDA device without bfloat16 (else precision.bf16), a model in float32,
optimizers of torch.optim without a closure, dense gradients, no autocast and no
GradScaler of the program's.
Set: autocast as precision.bf16; backward() starts from gradients times a power of two,
and right after it all gradients are divided by it again, so that whatever the
program does with them (clipping, norms, accumulating) sees true ones. What was
accumulated before is multiplied first: by a power of two, so nothing is rounded.
An optimizer whose gradients overflowed finds none at its next step and so
changes nothing, as GradScaler skips it. Hooks on tensors see scaled gradients.
Undone: between two backwards nothing is scaled.
Draws: none; products are rounded to 11 bits of mantissa and a small exponent.

Scale: as torch.amp.GradScaler: 2^16 at first, halved after an overflow, doubled after 2000
steps without one.
"""

from __future__ import annotations

from ..torch.compiling import is_compiling_of
from ..torch.uncompiled import leave_uncompiled
from ..core.fields import ByIdentity
from .autocast import Autocast
from .fused import _steps_as_torch_does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native
    from .words import Words
    from ..torch.precision import Precision

SCOPED = 10
_FIRST_SCALE, _GROW_AFTER, _MOST_SCALE = 2.0**16, 2000, 2.0**24
_CLOSURE = "the program gives a closure to its optimizer's step"


class Fp16(Autocast):
    id = "precision.fp16"
    dtype_name = "float16"
    devices = ("cuda",)

    def __init__(self, torch: ModuleType, value: Any, words: Words, precision: Precision) -> None:
        super().__init__(torch, value, words, precision)
        self.scale = _FIRST_SCALE
        self.good_steps = 0
        self.overflowed = ByIdentity()  # optimizer -> tensor, not 0 after an overflow
        self.hidden: dict[Any, Any] = {}  # id of an optimizer in its step -> [(parameter, gradient)]
        self.graph_task = getattr(torch._C, "_current_graph_task_id", lambda: -1)

    def install(self, native: Native) -> None:
        from torch.optim import optimizer as optim

        name = "_engine_run_backward"
        native.hook(self.torch.autograd, name, SCOPED, before=self.begin_backward, after=self.end_backward)
        before, after = (_eager(hook, is_compiling_of(self.torch)) for hook in (self.before_step, self.after_step))
        leave_uncompiled(self.torch, before, after)
        optim.register_optimizer_step_pre_hook(before)
        optim.register_optimizer_step_post_hook(after)

    def refused(self, module: Any, device: Any) -> str | None:
        if device not in self.devices:
            return "it is for CUDA devices without bfloat16"
        if device == "cuda" and self.torch.cuda.get_device_capability() >= (8, 0):
            return "this GPU computes bfloat16, which needs no scaling: use precision.bf16"
        if not self.overflowed:
            return "the program built no optimizer of torch.optim before the model first ran"
        if not all(_steps_as_torch_does(type(optimizer)) for optimizer in self.overflowed):
            return "an optimizer's step() is the program's own"
        if any(getattr(part, "sparse", False) is True for part in module.modules()):
            return "the model has an embedding with sparse gradients"
        return None

    def optimizer_built(self, optimizer: Any) -> None:
        self.overflowed[optimizer] = None

    # Around a backward.

    def begin_backward(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, Any, Any, Any, Any], Any, Any] | None:
        # grad() hands over allow_unused by position, as a sixth; and a backward inside
        # a backward (recomputation) carries scaled gradients already.
        if self.refusal is not None or not self.said or len(args) != 5 or self.graph_task() != -1:
            return None
        tensors, seeds, retain, create_graph, inputs = args
        if create_graph:
            self._refuse("the program differentiates its gradients (create_graph)")
            return None
        owners = self._owners()
        scaled = tuple(None if seed is None else seed * self.scale for seed in seeds)
        for parameters in owners.values():
            before = [parameter.grad for parameter in parameters if parameter.grad is not None]
            if before:
                self.torch._foreach_mul_(before, self.scale)
        return (tensors, scaled, retain, create_graph, inputs), kwargs, owners

    def end_backward(self, owners: Any, _result: object, _raised: BaseException | None) -> None:
        inverse = 1.0 / self.scale
        for optimizer, parameters in owners.items():
            by_device: dict[Any, Any] = {}
            for parameter in parameters:
                if parameter.grad is not None:
                    by_device.setdefault(parameter.grad.device, []).append(parameter.grad)
            for device, gradients in by_device.items():
                self._divide(optimizer, device, gradients, inverse)

    def _divide(self, optimizer: Any, device: Any, gradients: Any, inverse: Any) -> None:
        torch = self.torch
        found = torch.zeros((), device=device)
        torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, torch.full((), inverse, device=device))
        if optimizer is None:
            return  # parameters that no optimizer has
        before = self.overflowed[optimizer]
        self.overflowed[optimizer] = found if before is None else before + found.to(before.device)

    def _owners(self) -> dict[Any, Any]:
        """optimizer -> its parameters, each parameter once; None -> the models' others."""
        seen: set[Any] = set()
        owners: dict[Any, Any] = {}

        def add(owner: Any, parameters: Any) -> None:
            for parameter in parameters:
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    owners.setdefault(owner, []).append(parameter)

        for optimizer in list(self.overflowed):
            for group in optimizer.param_groups:
                add(optimizer, group["params"])
        for root in list(self.roots):
            add(None, root.parameters())
        return owners

    # Around a step.

    def before_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.refusal is not None or optimizer not in self.overflowed:
            return
        if (len(args) > 1 and callable(args[1])) or callable((kwargs or {}).get("closure")):
            self._refuse(_CLOSURE)
            return
        found = self.overflowed[optimizer]
        if found is None:
            return
        self.overflowed[optimizer] = None
        if found.item() == 0:
            self._grow()
            return
        self.scale /= 2
        self.good_steps = 0
        hidden = self.hidden[id(optimizer)] = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                hidden.append((parameter, parameter.grad))
                parameter.grad = None

    def after_step(self, optimizer: Any, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        for parameter, gradient in self.hidden.pop(id(optimizer), ()):
            parameter.grad = gradient

    def _grow(self) -> None:
        self.good_steps += 1
        if self.good_steps >= _GROW_AFTER and self.scale < _MOST_SCALE:
            self.scale *= 2
            self.good_steps = 0


def _eager(hook: Any, compiling: Any) -> Callable[..., Any]:
    # torch.compile traces it where it traces the optimizer's step: see optimizer.py.
    def around_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if compiling():
            return None
        return hook(optimizer, args, kwargs)

    return around_step
