"""A short look at what a loader's workers hold a copy of, to see that a program has changed it.

Two fingerprints of the same objects are equal where none of the changes was made that
a short look can see. It goes from object to object along attributes and entries, by
breadth, to a bounded depth and number. Small immutable values count with their value,
containers with their length and some of their entries, tensors with the number of
changes made in place, everything else by identity. None of the program's code
runs: no property, __getattr__, __eq__ or __len__ of its classes.
"""

from __future__ import annotations

import functools
import itertools
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Iterator

_DEEPEST = 4
_MOST_VALUES = 2000
_MOST_ENTRIES = 64  # of a container, spread over a list
_MOST_BYTES = 1024
_NUMBERS = (int, float, complex, bool, type(None))
# They are not looked into: shared by all processes, or changed by whoever runs without a meaning for samples.
_CLOSED = ("logging", "threading", "_thread", "multiprocessing", "weakref")
_TYPE: Any = vars(type)
_NO_CLASSES_OF = ("builtins", "torch", "abc", "typing")


def fingerprint(torch: ModuleType, roots: Any) -> list[Any] | None:
    """A list of values of Python's own types, None where looking failed."""
    try:
        return _Look(torch).of(roots)
    except Exception:
        return None


class _Look:
    def __init__(self, torch: ModuleType) -> None:
        self.tensors = (torch.Tensor, torch.nn.Parameter)
        self.seen: set[int] = set()
        self.marks: list[Any] = []

    def of(self, roots: Any) -> list[Any]:
        level = list(roots)
        for _ in range(_DEEPEST + 1):
            below: list[Any] = []
            for value in level:
                self._look(value, below)
            level = below
        return self.marks

    def _look(self, value: Any, below: list[Any]) -> None:
        """The value and, where it is a container, its entries; the attributes of objects go to `below`."""
        waiting = [value]
        while waiting and len(self.marks) < _MOST_VALUES:
            value = waiting.pop()
            kind = type(value)
            if kind in _NUMBERS or kind in (str, bytes) and len(value) <= _MOST_BYTES:
                self.marks.append(value)
                continue
            self.marks.append(id(value))
            if id(value) in self.seen:
                continue
            self.seen.add(id(value))
            if kind in self.tensors:
                self.marks.append(_changes(value))
                continue
            waiting.extend(self._entries(value, kind))
            if not _is_closed(kind):
                below.extend(itertools.islice(self._attributes(value, kind), max(0, _MOST_VALUES - len(below))))

    def _entries(self, value: Any, kind: type) -> list[Any]:
        for one in (list, tuple):
            if issubclass(kind, one):
                length = one.__len__(value)
                self.marks.append(length)
                step = max(1, length / _MOST_ENTRIES)
                return [one.__getitem__(value, int(place * step)) for place in range(min(length, _MOST_ENTRIES))]
        for table in (dict, types.MappingProxyType):
            if kind is table or table is dict and issubclass(kind, dict):
                self.marks.append(table.__len__(value))
                return [part for pair in itertools.islice(table.items(value), _MOST_ENTRIES) for part in pair]
        for group in (set, frozenset):
            if issubclass(kind, group):
                self.marks.append(group.__len__(value))
                return list(itertools.islice(group.__iter__(value), _MOST_ENTRIES))
        return []

    def _attributes(self, value: Any, kind: type) -> Iterator[Any]:
        if kind is functools.partial:
            yield from (value.func, value.args, value.keywords)
        elif kind is types.MethodType:
            yield value.__self__
        elif kind is types.FunctionType:
            for cell in value.__closure__ or ():
                yield _content(cell)
        found = False
        for base in _TYPE["__mro__"].__get__(kind):
            own = _class_dict(base)
            if not found and type(own.get("__dict__")) in (types.GetSetDescriptorType, types.MemberDescriptorType):
                found = True
                for name, held in dict.items(own["__dict__"].__get__(value)):
                    yield name
                    yield held
            if "__slots__" in own:
                yield from (_slot(one, value) for one in list(own.values()) if type(one) is types.MemberDescriptorType)
            yield from self._of_class(base, own)

    def _of_class(self, base: type, own: Any) -> Iterator[Any]:
        """Numbers and texts only, once a class: what it has of code is the same for all processes."""
        if id(base) in self.seen or str(own.get("__module__")).partition(".")[0] in _NO_CLASSES_OF:
            return
        self.seen.add(id(base))
        for name, held in list(own.items()):
            if type(held) in _NUMBERS or type(held) is str and name not in ("__doc__", "__module__", "__qualname__"):
                yield held


def _is_closed(kind: type) -> bool:
    if issubclass(kind, (type, types.ModuleType)):
        return True
    module = _class_dict(kind).get("__module__")
    return type(module) is str and module.partition(".")[0] in _CLOSED


def _class_dict(kind: type) -> Any:
    return _TYPE["__dict__"].__get__(kind)


def _changes(tensor: Any) -> Any:
    """How often its content was changed; of one in shared memory workers see that themselves."""
    try:
        return None if tensor.is_cuda or tensor.is_shared() else tensor._version
    except RuntimeError:
        return None


def _slot(descriptor: Any, value: Any) -> Any:
    try:
        return descriptor.__get__(value)
    except AttributeError:
        return None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
