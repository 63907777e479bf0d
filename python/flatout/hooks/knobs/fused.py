"""optimizer.fused: the update of all parameters in one kernel a group.

Needs Adam, AdamW or SGD of torch.optim (or a class of the program's whose step()
ends in theirs), where the program chose neither fused nor foreach, capturable or
differentiable, with plain floating-point parameters on devices that torch has the
kernel for, and no embedding with sparse gradients.
Set: group["fused"] of each parameter group, right after Optimizer.__init__ and so
before any state exists; groups that are added later keep torch's default.
Undone: None again, which is torch's default.
Draws: none; the update rounds differently.
"""

from __future__ import annotations

import inspect

from ..core.fields import ByIdentity
from .agreement import Alone
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .words import Words

_NO_OPTIMIZER = "the program built no optimizer of torch.optim before the model first ran"
_FALLBACK_DEVICES = ("cuda",)  # of a torch that does not tell


class Fused(OfTable):
    id = "optimizer.fused"
    agreement = Alone()

    def __init__(self, torch: ModuleType, value: Any, words: Words) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.denied: str | None = None  # why it is not to be set any more
        self.optimizers = ByIdentity()  # -> reason, None where it was set

    def optimizer_built(self, optimizer: Any) -> None:
        try:
            reason = self.denied or self._refused(optimizer)
            if reason is None:
                _put(optimizer, True)
        except Exception as error:
            reason = cause(error)
        self.optimizers[optimizer] = reason
        if reason is None:  # of a model that is scripted no forward is ever seen
            self._say()

    def look(self, module: Any, _device: Any) -> None:
        if any(getattr(part, "sparse", False) is True for part in module.modules()):
            self.undo("the model has an embedding with sparse gradients")
        for optimizer, reason in list(self.optimizers.items()):
            if reason is None and not all(group.get("fused") for group in optimizer.param_groups):
                self.optimizers[optimizer] = "a state that the program loaded, or a group that it added, says otherwise"
        own = self._why_none()
        reason = self.agreement.hold(self.id, own)
        if reason is not None and own is None:
            self.denied = reason
            self.undo(reason)
        self._say()

    def undo(self, reason: str = "it was taken back") -> None:
        for optimizer, refused in list(self.optimizers.items()):
            if refused is None:
                _put(optimizer, None)
                self.optimizers[optimizer] = reason

    def _reasons(self) -> Any:
        return list(self.optimizers.values()) or [_NO_OPTIMIZER]

    def _why_none(self) -> str | None:
        """Why it is set in no optimizer; None where it is set in one."""
        reasons = self._reasons()
        return None if None in reasons else reasons[-1]

    def _say(self) -> None:
        reasons = self._reasons()
        left_out = sum(reason is not None for reason in reasons)
        more = {"optimizers_left_out": left_out} if 0 < left_out < len(reasons) else {}
        reason = self._why_none()
        self.words.say(self.id, self.value, reason is None, reason, False, **more)

    def _refused(self, optimizer: Any) -> str | None:
        kinds = (self.torch.optim.Adam, self.torch.optim.AdamW, self.torch.optim.SGD)
        name = type(optimizer).__name__
        if not isinstance(optimizer, kinds) or not _steps_as_torch_does(type(optimizer)):
            return "%s has no fused update" % name
        for group in optimizer.param_groups:
            if "fused" not in group or group.get("capturable") or group.get("differentiable"):
                return "this %s has no fused update" % name
            if group["fused"] is not None or group.get("foreach") is not None:
                return "the program chooses fused or foreach itself"
            if not all(self._fits(parameter) for parameter in group["params"]):
                return "not all parameters are plain floating-point tensors on a device with that kernel"
        return None

    def _fits(self, parameter: Any) -> bool:
        plain = type(parameter) in (self.torch.Tensor, self.torch.nn.Parameter)
        return plain and parameter.is_floating_point() and parameter.device.type in self._devices()

    def _devices(self) -> Any:
        tell = getattr(self.torch.utils._foreach_utils, "_get_fused_kernels_supported_devices", None)
        return tell() if tell is not None else _FALLBACK_DEVICES


def _put(optimizer: Any, fused: Any) -> None:
    """Where it has state already, as load_state_dict() would leave it: a fused kernel counts its steps on
    the parameter's device, all others on the CPU."""
    for group in optimizer.param_groups:
        group["fused"] = fused
        for parameter in group["params"]:
            step: Any = optimizer.state[parameter].get("step") if parameter in optimizer.state else None
            if hasattr(step, "to"):
                optimizer.state[parameter]["step"] = step.to(parameter.device if fused else "cpu")


def _steps_as_torch_does(kind: Any) -> bool:
    """torch's own step(), or one of the program's that calls it."""
    for base in kind.__mro__:
        if "step" not in vars(base):
            continue
        if base.__module__.startswith("torch.optim."):
            return True
        code = getattr(inspect.unwrap(vars(base)["step"]), "__code__", None)
        if code is None or "super" not in code.co_names:
            return False
    return False
