"""Files that the program reads: torch.load, and what core/readers.py knows of other libraries."""

from __future__ import annotations

from ..core.readers import STAGE, install_lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .._native import Native


def install(native: Native, torch: ModuleType) -> None:
    install_lazily(native)
    native.hook(torch, "load", STAGE, stage="torch.load")
