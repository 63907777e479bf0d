"""dataloader.non_blocking: batches that a loader has pinned are copied to CUDA without a wait.

Needs a DataLoader that pins its batches, and copies by Tensor.to() or .cuda() that
do not say non_blocking themselves.
Set: non_blocking=True for these copies alone: of tensors that came out of a loader's
pinning, from the host to a CUDA device. Never back, since the host would read what has not arrived;
never of buffers that the program pins and fills again. A program that changes
a batch in place on the host right after copying it must not be given it.
Undone: copies are the program's again.
Draws: none.
"""

from __future__ import annotations

from ..core.fields import watched
from .agreement import Alone
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from .words import Words

SCOPED, CALLBACK = 10, 7
_NOT_CUDA = "the model does not run on a CUDA device"
_MOST_TENSORS = 4096


class NonBlocking(OfTable):
    id = "dataloader.non_blocking"
    agreement = Alone()

    def __init__(self, torch: ModuleType, value: Any, words: Words) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.active = True
        self.said = False
        self.pinned: dict[Any, Any] = {}  # id -> weak reference

    def install(self, native: Native) -> None:
        """Below the hooks that time copies: these see the copy that is made."""
        from torch.utils.data._utils import pin_memory

        for name in ("to", "cuda"):
            native.hook(self.torch.Tensor, name, SCOPED, before=self.enter, after=self.leave)
        native.hook(pin_memory, "pin_memory", CALLBACK, after=self.was_pinned)

    def was_pinned(self, _args: tuple[Any, ...], result: Any) -> None:
        """Called for each part of a batch, in the thread that pins."""
        if isinstance(result, self.torch.Tensor) and len(self.pinned) < _MOST_TENSORS:
            key = id(result)
            self.pinned[key] = watched(result, self.pinned, key)

    def look(self, _module: Any, device: Any) -> None:
        reason = self.agreement.hold(self.id, None if device == "cuda" else _NOT_CUDA)
        if reason is not None:
            self.undo()
            self.words.say(self.id, self.value, False, reason, False)
        elif not self.said:
            self.words.say(self.id, self.value, False, "no copy of a pinned batch was seen", False)

    def undo(self, _reason: str = "") -> None:
        self.active = False

    def set_aside(self) -> None:
        self.active = False

    def take_up(self) -> None:
        self.active, self.said = True, False

    def enter(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self.active or not self.pinned:
            return None
        try:
            return self._changed(args, kwargs or {})
        except Exception as error:
            self.undo()
            self.words.say(self.id, self.value, False, cause(error), False)
            return None

    def leave(self, _token: object, _result: object, _raised: BaseException | None) -> None:
        return None

    def _changed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any], None] | None:
        reference = self.pinned.get(id(args[0]))
        if reference is None or reference() is not args[0]:
            return None
        if "non_blocking" in kwargs or any(type(argument) is bool for argument in args[1:]):
            return None
        if not self._goes_to_cuda(args, kwargs):
            return None
        if not self.said:
            self.said = True
            self.words.say(self.id, self.value, True, None, False)
        return args, {**kwargs, "non_blocking": True}, None

    def _goes_to_cuda(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        target = args[1] if len(args) > 1 else kwargs.get("device", kwargs.get("other"))
        if target is None and len(args) == 1 and set(kwargs) <= {"memory_format"}:
            return True  # .cuda(); .to() of nothing copies nothing
        if type(target) is int:
            return True
        if isinstance(target, str):
            return target.startswith("cuda")
        return getattr(getattr(target, "device", target), "type", None) == "cuda"
