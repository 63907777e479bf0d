"""What users give to flatout.data, looked at where they give it: errors name the call, the argument and the value.

The bounds are those that the engine has; what depends on several arguments, or on files, is the engine's to say (LoaderError).
"""

from __future__ import annotations

import math
import numbers
import operator
import os
from typing import Any, Mapping, NoReturn, Sequence, Union

from flatout.data_library import ArgumentError, ArgumentTypeError

__all__ = ["Argument"]

_MOST_SHOWN = 80  # characters of a value
_MOST_SEED = (1 << 64) - 1


class Argument:
    """One argument of one call. Each method gives its value as the engine's text takes it, or raises.

    ArgumentTypeError (a TypeError) of another type, ArgumentError (a ValueError) of a value that is out of bounds. `key`: the engine's
    name for it, where that is another.
    """

    def __init__(self, call: str, name: str, value: object, key: str | None = None) -> None:
        self._call, self._name, self._value, self._key = call, name, value, key or name

    def whole(self, least: int | None = None, most: int | None = None) -> int:
        """A whole number, also NumPy's; no bool."""
        return self._whole(self._value, f"is no whole number{_bounds(least, most)}", least, most)

    def seed(self) -> int:
        """A whole number of 64 bits without a sign."""
        return self.whole(0, _MOST_SEED)

    def real(self, least: float | None = None, most: float | None = None) -> float:
        """A finite number, also NumPy's; no bool."""
        return self._real(self._value, f"is no number{_bounds(least, most)}", least, most)

    def reals(self, count: int) -> list[float]:
        """`count` numbers."""
        what = f"is no list of {count} numbers"
        return [self._real(one, what) for one in self._sequence(self._value, what, (count,))]

    def real_or_reals(self, *counts: int) -> float | list[float]:
        """One number, or as many as one of `counts`."""
        what = f"is neither a number nor a list of {' or '.join(map(str, counts))} numbers"
        if _is_number(self._value):
            return self._real(self._value, what)
        return [self._real(one, what) for one in self._sequence(self._value, what, counts)]

    def size(self, least: int = 1) -> int | list[int]:
        """A number, or [height, width]."""
        what = f"is neither a whole number from {least} on nor two of them"
        if _is_number(self._value):
            return self._whole(self._value, what, least)
        return [self._whole(one, what, least) for one in self._sequence(self._value, what, (2,))]

    def rising_wholes(self) -> list[int]:
        """One or more whole numbers from 1 on, each greater than the one before."""
        what = "is no list of rising whole numbers from 1 on"
        made = [self._whole(one, what, 1) for one in self._sequence(self._value, what)]
        if not made or any(one >= other for one, other in zip(made, made[1:])):
            self._wrong_value(what)
        return made

    def flag(self) -> bool:
        """A bool, also NumPy's."""
        if isinstance(self._value, bool) or type(self._value).__name__ in ("bool_", "bool"):
            return bool(self._value)
        self._wrong_type("is neither True nor False")

    def word(self, *words: str) -> str:
        """One of `words`."""
        what = f"is none of {', '.join(words)}"
        if not isinstance(self._value, str):
            self._wrong_type(what)
        if self._value not in words:
            self._wrong_value(what)
        return self._value

    def state(self, *keys: str) -> Mapping[str, object]:
        """What state_dict() of a loader gave: a dict with these keys."""
        what = "is no state of a flatout.data loader"
        if not hasattr(self._value, "keys"):
            self._wrong_type(what)
        made: Mapping[str, object] = self._value  # type: ignore[assignment]
        missing = [key for key in keys if key not in made]
        if missing:
            self._wrong_value(f"{what}: it has no {missing[0]!r}")
        return made

    def path(self) -> str:
        """A path as text."""
        try:
            made = os.fspath(self._value)  # type: ignore[call-overload]
        except TypeError:
            self._wrong_type("is no path")
        text = str(os.fsdecode(made))
        if any("\ud800" <= char <= "\udfff" for char in text):
            self._wrong_value("is a path that is not UTF-8")
        if "\0" in text:
            self._wrong_value("is a path with a NUL character, which none can have")
        return text

    def too_many(self, most: int) -> NoReturn:
        """The pattern stands for more files than that."""
        self._wrong_value(f"stands for more than {most} files; name fewer")

    def _whole(self, value: object, what: str, least: int | None = None, most: int | None = None) -> int:
        try:
            number = operator.index(_no_bool(value))
        except TypeError:
            self._wrong_type(what)
        if (least is not None and number < least) or (most is not None and number > most):
            self._wrong_value(what)
        return number

    def _real(self, value: object, what: str, least: float | None = None, most: float | None = None) -> float:
        if not _is_number(value):
            self._wrong_type(what)
        number = int(value) if isinstance(value, numbers.Integral) else float(value)  # type: ignore[arg-type]
        if not math.isfinite(number) or (least is not None and number < least) or (most is not None and number > most):
            self._wrong_value(what)
        return number

    def _sequence(self, value: object, what: str, counts: tuple[int, ...] | None = None) -> Sequence[object]:
        if isinstance(value, (str, bytes)):
            self._wrong_type(what)
        try:
            made: list[object] = list(value)  # type: ignore[call-overload]
        except TypeError:
            self._wrong_type(what)
        if counts is not None and len(made) not in counts:
            self._wrong_value(what)
        return made

    def _wrong_type(self, what: str) -> NoReturn:
        raise ArgumentTypeError(f"{self._text(what)}; it is a {type(self._value).__qualname__}") from None

    def _wrong_value(self, what: str) -> NoReturn:
        raise ArgumentError(self._text(what)) from None

    def _text(self, what: str) -> str:
        shown = repr(self._value)
        shown = shown if len(shown) <= _MOST_SHOWN else shown[:_MOST_SHOWN - 3] + "..."
        return f'flatout.data: {self._call}({self._name}={shown}): "{self._key}" {what}'


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _no_bool(value: Any) -> Any:
    return None if isinstance(value, bool) else value


def _bounds(least: Union[int, float, None], most: Union[int, float, None]) -> str:
    if least is None:
        return ""
    return f" from {least} on" if most is None else f" from {least} to {most}"
