"""A DataLoader's iterator whose batches are made by the loading engine.

A subclass of torch's own base class, so the base seed, the sampler's draws, pinning and
whatever is hooked at __next__ and _next_index are torch's.
"""

from __future__ import annotations

import collections
import operator
import weakref

from .library import Bad
from .stream import Stream, remade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .engines import Engines

_classes = {}


def iterator_class(torch: ModuleType) -> Callable[..., Any]:
    if torch not in _classes:
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        _classes[torch] = {
            kind: type(name, (kind, _BaseDataLoaderIter), {"__module__": __name__})
            for name, kind in (("NativeDataLoaderIter", Batches), ("NativeStreamIter", _Streamed))
        }
    return lambda loader, engines: _classes[torch][_Streamed if engines.samples is None else Batches](loader, engines)


class Batches:
    """_next_data and _reset of a _BaseDataLoaderIter."""

    if TYPE_CHECKING:  # of torch's class, in front of which it stands
        _base_seed: int
        _num_workers: int
        _pin_memory: bool
        _pin_memory_device: str
        _collate_fn: Callable[..., Any]
        _dataset: Any

        def _next_index(self) -> Any: ...

    is_native = True  # for the fact "loader"

    def __init__(self, loader: Any, engines: Engines) -> None:
        super().__init__(loader)  # type: ignore[call-arg]
        self._torch = engines.torch
        self._places = engines.form.places
        self._samples = len(engines.samples or ())
        self._ahead = engines.ahead
        self._batch_type = engines.form.batch_type
        self.fetches = engines.fetches
        self.engines = engines
        self._given_back: Any = None
        self._take()
        self._begin()

    def _take(self) -> None:
        if self._given_back is None or not self._given_back.alive:
            self._engine = self.engines.take()
            self._given_back = weakref.finalize(self, self.engines.give_back, self._engine)
            self._given_back.atexit = False

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        self._take()
        super()._reset(loader, first_iter)  # type: ignore[misc]
        self._base_seed += 1  # of workers that persist it is drawn once
        self._begin()

    def _begin(self) -> None:
        # Every sample is drawn for from this number and its own place in the dataset. 32 bits of the
        # base seed, which is drawn anew each time: the epoch, as far as the engine is concerned.
        self._epoch = (self._base_seed ^ self._base_seed >> 32) & 0xFFFFFFFF
        self._asked: collections.deque[Any] = collections.deque()  # (what the sampler gave, why the engine does not make it or None)
        self._drawn = False
        self._engine.begin(self._epoch)
        if self._num_workers > 0:  # torch's iterator draws ahead for its workers now, without them later
            self._ask()

    def _ask(self) -> None:
        while not self._drawn and len(self._asked) < self._ahead:
            try:
                index = self._next_index()
            except StopIteration:
                self._drawn = True
                return
            self._asked.append((index, self._append(index)))

    def _append(self, index: Any) -> Any:
        try:
            self._engine.append([self._place_of(one) for one in index])
            return None
        except (Bad, IndexError, TypeError) as error:
            return str(error) or type(error).__name__

    def _place_of(self, index: Any) -> Any:
        index = operator.index(index)
        if self._places is not None:
            return self._places[index]
        return index + self._samples if index < 0 else index

    def _next_data(self) -> Any:
        self._ask()
        if not self._asked:
            self.fetches.say()
            self.engines.ended()
            self._given_back()  # for an iterator that begins while this one is still there: what it keeps is then used
            raise StopIteration
        index, refused = self._asked.popleft()
        if refused is None:
            try:
                data = self._native(index)
            except Bad as error:
                data = self._fetch(index, str(error))
        else:
            data = self._fetch(index, refused)
        self._ask()  # its threads go on while the program computes
        self.engines.look()
        if self._pin_memory:
            data = self._torch.utils.data._utils.pin_memory.pin_memory(data, self._pin_memory_device)
        return data

    def _fetch(self, index: Any, why: str) -> Any:
        """From the dataset itself, as torch's iterator would: a file that only Pillow reads, or the program's own error."""
        data = self._in_python(index, why, lambda: self._from_dataset(index, why))
        self.fetches.add(why)
        return data

    def _in_python(self, index: Any, why: str, call: Callable[[], Any]) -> Any:
        """What call() makes of these samples. The program's generator stays where it is."""
        generator = self._torch.default_generator
        state = generator.get_state()
        try:
            generator.manual_seed(self._epoch << 32 ^ self._seed_of(index) & 0xFFFFFFFF)
            return call()
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note("flatout: %s" % (why,))
            raise
        finally:
            generator.set_state(state)

    def _native(self, _index: object) -> Any:
        return self._batch_type(self._engine.next())

    def _from_dataset(self, index: Any, _why: str) -> Any:
        return self._collate_fn([self._dataset[one] for one in index])

    def _seed_of(self, index: Any) -> Any:
        return hash(tuple(map(operator.index, index)))


class _Streamed(Batches):
    """Of an iterable dataset, whose batches are lists of (picture, label)."""

    def __init__(self, loader: Any, engines: Engines) -> None:
        self._form = engines.form
        self._stream: Any = None
        self._made_of = loader, engines.first
        super().__init__(loader, engines)

    def _begin(self) -> None:
        if self._stream is None:
            loader, first = self._made_of
            self._stream = Stream(self._torch, loader, self._form, first, self._base_seed)
            del self._made_of
        self._members = self._stream.epoch()
        super()._begin()

    def _next_index(self) -> Any:
        try:
            return next(self._members)
        except StopIteration:
            raise
        except Exception as error:  # of the program's stages: raised when it is its turn
            return error

    def _append(self, index: Any) -> Any:
        return "" if isinstance(index, Exception) else super()._append(index)

    def _fetch(self, index: Any, why: str) -> Any:
        if isinstance(index, Exception):
            raise index
        return super()._fetch(index, why)

    def _place_of(self, pair: Any) -> Any:
        picture, label = pair
        if picture.number is None or (label.url, label.place) != (picture.url, picture.place):
            raise IndexError("sample %s of %s has several pictures" % (picture.key, picture.url))
        # Samples are counted here as they are there. Should the two readers of a tar file ever differ, no picture gets another's label.
        if picture.number >= self._engine.samples() or self._engine.name(picture.number) != picture.name():
            raise IndexError("%s is another sample for the engine" % (picture.name(),))
        return picture.number

    def _from_dataset(self, index: Any, _why: str) -> Any:
        return remade(self._form, self._collate_fn, index)

    def _seed_of(self, index: Any) -> Any:
        return hash(tuple(picture.number or 0 for picture, _label in index))
