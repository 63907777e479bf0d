"""Objects of the program's, looked at without calling any code of its own."""

from __future__ import annotations

import collections.abc
import functools
import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def fields(one: Any) -> Any:
    """The attributes that lie in the object itself: past its properties, __getattr__ and __getattribute__."""
    try:
        held = object.__getattribute__(one, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def watched(one: Any, known: Any, key: Any) -> Any:
    """A weak reference to it; `known` has no entry of `key` once it is gone. What is called then is of C: it is called
    wherever the program lets go of the object, also in code that torch.compile has in hand, and would be compiled."""
    return weakref.ref(one, functools.partial(known.pop, key))


class ByIdentity(collections.abc.MutableMapping):  # type: ignore[type-arg]
    """What is known of an object for as long as it lives. A weak dictionary would call its __hash__ and __eq__."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}  # id -> (weak reference, value)

    def get(self, one: Any, otherwise: Any = None) -> Any:
        entry = self._known.get(id(one))
        return entry[1] if entry is not None and entry[0]() is one else otherwise

    def set(self, one: Any, value: Any) -> Any:
        key = id(one)
        self._known[key] = (watched(one, self._known, key), value)
        return value

    def items(self) -> list[Any]:  # type: ignore[override]
        """Of those that live, first come first."""
        known = ((reference(), value) for reference, value in list(self._known.values()))
        return [(one, value) for one, value in known if one is not None]

    def values(self) -> list[Any]:  # type: ignore[override]
        return [value for _one, value in self.items()]

    def __getitem__(self, one: Any) -> Any:
        entry = self._known.get(id(one))
        if entry is None or entry[0]() is not one:
            raise KeyError(id(one))
        return entry[1]

    def __setitem__(self, one: Any, value: Any) -> None:
        self.set(one, value)

    def __delitem__(self, one: Any) -> None:
        self[one]
        del self._known[id(one)]

    def __iter__(self) -> Any:
        return iter([one for one, _value in self.items()])

    def __len__(self) -> int:
        return len(self.items())
