"""What the functions of a program are followed with, in place of samples (program_run.py).

Of each sample it is known only which column it comes from and what was done to it.
"""

from __future__ import annotations

import types

from .originals import is_function
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Known:
    """An object of the program itself, such as a transform, a name of a column, a function."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing


class Method:
    """`value.name`, to be called."""

    def __init__(self, value: Any, name: str) -> None:
        self.value = value
        self.name = name


class Picture:
    """A decoded picture of a column; `is_rgb`: three channels, whatever the file has."""

    def __init__(self, column: Any, is_rgb: Any) -> None:
        self.column = column
        self.is_rgb = is_rgb


class Cell:
    """A value of a column that is no picture. `kind`: "whole" for whole numbers, "text", None for others."""

    def __init__(self, column: Any, kind: Any) -> None:
        self.column = column
        self.kind = kind


class Tensor:
    """What `transforms`, one after the other, made of a picture; of `column` None it is the dataset's own sample."""

    def __init__(self, column: Any, transforms: Any) -> None:
        self.column = column
        self.transforms = transforms


class Each:
    """A list with one `element` for each sample."""

    def __init__(self, element: Any) -> None:
        self.element = element


class Row:
    """A sample as the dataset gives it: {key: element}, or a tuple of elements."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts


class Mapping:
    """A dictionary that the function may change."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts


class Sequence:
    """A list or a tuple, by `kind`."""

    def __init__(self, kind: Any, parts: Any) -> None:
        self.kind = kind
        self.parts = parts


class Stacked:
    """Of a batch: the samples' tensors as one (of Tensor), or their whole numbers as one (of Cell). `mix`: what mixed it, or None."""

    def __init__(self, element: Any, mix: Any = None) -> None:
        self.element = element
        self.mix = mix


def attribute(thing: Any, name: str) -> Any:
    """thing.name where no code of the program has to run for it."""
    kind = type(thing)
    if name.startswith("__"):  # inside a class it stands for another name
        raise Refused("%s is a name that is not followed" % (name,))
    if kind is types.ModuleType:
        if name in vars(thing):
            return vars(thing)[name]
    elif kind is type:
        found = [vars(base)[name] for base in thing.__mro__ if name in vars(base)]
        if found and not hasattr(type(found[0]), "__get__"):
            return found[0]
    elif kind is types.SimpleNamespace or kind.__getattribute__ is object.__getattribute__:  # type: ignore[comparison-overlap]
        found = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
        own = getattr(thing, "__dict__", {})
        if name in own and not (found and hasattr(type(found[0]), "__set__")):
            return own[name]
        if found and name not in own:
            if is_function(found[0]):
                return types.MethodType(found[0], thing)
            if not hasattr(type(found[0]), "__get__"):
                return found[0]
    raise Refused("%s of %s is not known before it is asked for" % (name, getattr(thing, "__name__", kind.__qualname__)))
