"""The iterators of a training loader in a trial that a tuner drives.

The program holds one iterator and goes on calling its __next__, behind which another one over the
same loader, under other settings, makes the batches meanwhile. The program's own is parked with
its workers, which wait once their queues are full. An epoch has as many batches as ever: where
another iterator is through with its samples, a further one goes on.
"""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

_MOST_OTHERS = 2  # beside the program's own: each may hold workers and memory


class Parked:
    def __init__(self, native: Native, torch: ModuleType, loader: Any, number: int | None, gate: Any) -> None:
        self.native = native
        self.torch = torch
        self.loader = loader  # the program may hold no more than its iterator
        self.number = number  # the loader's
        self.gate = gate
        self.own: Any = None  # weak reference to the iterator that the program holds
        self.own_key: Any = None
        self.others: dict[Any, Any] = {}  # key -> iterator, the latest last

    def begin(self, iterator: Any, key: Any) -> None:
        """The program builds an iterator, or begins anew with one that persists, under these settings."""
        vars(iterator).pop("_next_data", None)
        self.own, self.own_key = weakref.ref(iterator), key
        self.others.pop(key, None)

    def alive(self) -> bool:
        return self.own is not None and self.own() is not None

    def switch(self, key: Any) -> None:
        """From the next batch on they are made under the settings that the loader has now."""
        own = self.own() if self.own is not None else None
        if own is None:
            return
        if key != self.own_key:
            self._other(key)
        vars(own)["_next_data"] = lambda: self._next_data(key)

    def _other(self, key: Any) -> Any:
        other = self.others.pop(key, None) or self._made()
        self.others[key] = other
        while len(self.others) > _MOST_OTHERS:
            del self.others[next(iter(self.others))]
        return other

    def _made(self) -> Any:
        """Random streams of the program are afterwards where they were."""
        loader = self.loader
        generator: Any = getattr(loader, "generator", None)
        before, own_before = self.torch.get_rng_state(), None if generator is None else generator.get_state()
        try:
            return loader._get_iterator()
        finally:
            self.torch.set_rng_state(before)
            if own_before is not None:
                generator.set_state(own_before)

    def _next_data(self, key: Any) -> Any:
        own = self.own()
        length = self._length()
        if length is not None and own._num_yielded >= length:
            raise StopIteration
        return self.gate.batch(self, lambda: self._made_batch(own, key, length))

    def _made_batch(self, own: Any, key: Any, length: int | None) -> Any:
        if key == self.own_key:
            return type(own)._next_data(own)
        try:
            return self.others[key]._next_data()
        except StopIteration:
            if length is None:  # a stream ends where it ends
                raise
            self.native.disturb_block()
            del self.others[key]
            return self._other(key)._next_data()

    def _length(self) -> int | None:
        """Batches of an epoch, None where the loader does not know."""
        try:
            return len(self.loader)
        except TypeError:
            return None
