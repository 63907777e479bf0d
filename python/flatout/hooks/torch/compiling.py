"""Whether torch.compile traces just now: what it traces of us would be compiled in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def is_compiling_of(torch: ModuleType) -> Any:
    """The function that tells; one that says no where this torch has none."""
    compiler = getattr(torch, "compiler", None)
    for name in ("is_dynamo_compiling", "is_compiling"):
        if hasattr(compiler, name):
            return getattr(compiler, name)
    return lambda: False
