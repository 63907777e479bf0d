"""Checkpoints: torch.save."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .._native import Native

PHASE = 0
CHECKPOINT = 8


def install(native: Native, torch: ModuleType) -> None:
    native.hook(torch, "save", PHASE, CHECKPOINT)
