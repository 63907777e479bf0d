"""Sets an attribute of a DataLoader."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def put(loader: Any, name: str, value: Any) -> None:
    """Also one that DataLoader lets nobody change once it is built."""
    if getattr(loader, name, None) == value:
        return
    if name == "persistent_workers":
        object.__setattr__(loader, name, value)
    else:
        setattr(loader, name, value)
