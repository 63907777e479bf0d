"""Transforms of a Compose as stages of a sample."""

from __future__ import annotations

from ..core.fields import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator

    from .._native import Native

COMPOSE = 6
_MOST_OBJECTS = 200
_wrapped = set()


def install_for(native: Native, torch: ModuleType, dataset: Any) -> None:
    """Wrap the class of every Compose that `dataset` holds, where that is safe."""
    for holder in _composes(dataset):
        kind = type(holder)
        name = "forward" if issubclass(kind, torch.nn.Module) else "__call__"
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        if owner is None or (owner, name) in _wrapped:
            continue
        function = vars(owner)[name]
        if _uses_only_transforms(function):
            _wrapped.add((owner, name))
            native.hook(owner, name, COMPOSE)


def _composes(dataset: Any) -> Iterator[Any]:
    """Objects of a class called Compose within three steps of the dataset."""
    seen: set[Any] = set()
    level = [dataset]
    for _ in range(4):
        below = []
        for item in level:
            if id(item) in seen or len(seen) > _MOST_OBJECTS:
                continue
            seen.add(id(item))
            if type(item).__name__ == "Compose" and type(fields(item).get("transforms")) is list:
                yield item
            below.extend(_parts(item))
        level = below


def _parts(item: Any) -> Any:
    values = list(fields(item).values())
    inner = [value for value in values if type(value) in (list, tuple) and len(value) <= 16]
    return [value for value in values if fields(value)] + [part for value in inner for part in value if fields(part)]


def _uses_only_transforms(function: Callable[..., Any]) -> bool:
    """True when the code can only loop over self.transforms and call them.

    Its names are then `transforms` and at most `len`, nothing is captured, and
    no other attribute of self or of a transform can be asked for.
    """
    code = getattr(function, "__code__", None)
    return (
        code is not None
        and "transforms" in code.co_names
        and set(code.co_names) <= {"transforms", "len"}
        and not code.co_freevars
        and not code.co_cellvars
    )
