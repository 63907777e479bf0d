"""Samples that cannot be read: raised as torch does, left out, or replaced; always counted, the first one named.

Only reading a sample may fail in this way. An error of collate_fn, of the sampler or of a worker is always raised.
"""

from __future__ import annotations

import traceback
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

POLICIES = ("raise", "skip", "replace")
TRIES = 16  # neighbours that are tried for one bad sample, and bad samples in a row of an iterable dataset


class _Nothing:
    """What a batch is when none of its samples could be read. One object a process; equal by type after pickling."""


NOTHING = _Nothing()


def is_nothing(data: Any) -> bool:
    return isinstance(data, _Nothing)


class BadSamples:
    """How many there were, and what was wrong with the first."""

    def __init__(self) -> None:
        self.count = 0
        self.first: dict[str, str] | None = None

    def add(self, where: str, error: BaseException) -> None:
        self.count += 1
        if self.first is None:
            frames = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            self.first = {"sample": where, "error": "%s: %s" % (type(error).__name__, error), "traceback": frames}

    def take(self) -> tuple[int, dict[str, str] | None]:
        """(count, first) since the last take."""
        taken, self.count, self.first = (self.count, self.first), 0, None
        return taken

    def merge(self, count: int, first: dict[str, str] | None) -> None:
        self.count += count
        self.first = self.first or first


class MapGuard:
    """A map-style dataset in front of torch's fetcher. Unknown attributes are the dataset's."""

    def __init__(self, dataset: Any, policy: str, bad: BadSamples) -> None:
        self._dataset, self._policy, self._bad = dataset, policy, bad

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitems__(self, keys: Any) -> Any:
        whole = getattr(self._dataset, "__getitems__", None)
        if whole:
            try:
                return whole(keys)
            except Exception:  # which of them it was is found one by one
                pass
        return [sample for sample in map(self.__getitem__, keys) if not is_nothing(sample)]

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._dataset[key]
        except Exception as error:
            self._bad.add(repr(key), error)
            return NOTHING if self._policy == "skip" else self._neighbour(key, error)

    def _neighbour(self, key: Any, error: BaseException) -> Any:
        """The next sample by number that can be read."""
        if not isinstance(key, int):
            raise TypeError("on_bad_sample='replace' needs samples that are numbered; sample %r is not: use 'skip'" % (key,)) from error
        size = len(self._dataset)
        for step in range(1, min(TRIES, size - 1) + 1):
            try:
                return self._dataset[(key + step) % size]
            except Exception as another:
                self._bad.add(repr((key + step) % size), another)
        raise RuntimeError("on_bad_sample='replace': sample %d and the %d behind it cannot be read; the first error was %s: %s"
                           % (key, min(TRIES, size - 1), type(error).__name__, error)) from error


class IterGuard:
    """An iterable dataset's iterator in front of torch's fetcher: continues after what cannot be read."""

    def __init__(self, iterator: Any, bad: BadSamples) -> None:
        self._iterator, self._bad = iterator, bad
        self._count = 0

    def __iter__(self) -> IterGuard:
        return self

    def __next__(self) -> Any:
        for _ in range(TRIES):
            self._count += 1
            try:
                return next(self._iterator)
            except StopIteration:
                raise
            except Exception as error:
                if isinstance(self._iterator, types.GeneratorType):
                    raise  # a generator that raised is at its end: what would follow is lost
                self._bad.add("number %d of this iterator" % (self._count - 1), error)
                last = error
        raise RuntimeError("on_bad_sample: %d samples in a row cannot be read; the last error was %s: %s"
                           % (TRIES, type(last).__name__, last)) from last
