"""Values of any kind as JSON: bounded, without cycles, and whatever they raise while they are looked at."""

from __future__ import annotations

import datetime
import enum
import json
import math
import os
from collections.abc import Mapping
from typing import Any

__all__ = ["flat", "key_of", "number", "pieces", "plain", "text_of"]

MAX_DEPTH = 16
MAX_ITEMS = 10_000  # of one list or mapping
MAX_TEXT = 1 << 20
MAX_ARRAY = 1_000  # elements of an array that is written out


def text_of(value: object, limit: int = MAX_TEXT) -> str:
    """str(value) that is valid UTF-8, cut at `limit`; what cannot be shown is named by its type."""
    try:
        text = value if type(value) is str else str(value)
        text = text.encode("utf-8", "replace").decode("utf-8")
    except Exception:
        text = f"<unreadable {type(value).__name__}>"
    return text if len(text) <= limit else text[:limit] + f"... ({len(text)} characters)"


def key_of(key: object) -> str:
    """The name that a key has: bytes are read as UTF-8, all else is its text."""
    if isinstance(key, (bytes, bytearray)):
        return bytes(key).decode("utf-8", "replace")
    return text_of(key, 512)


def number(value: Any) -> float | int | None:
    """The number that `value` is: of Python, of numpy or of an array library with one element; None of all else."""
    kind = type(value)
    if kind is float or kind is bool:
        return value  # type: ignore[no-any-return]
    try:
        if kind is int:
            float(value)  # one that is too large is kept as text
            return value  # type: ignore[no-any-return]
        if isinstance(value, (str, bytes, bytearray, complex)) or not hasattr(kind, "__float__"):
            return None
        if getattr(value, "shape", ()) != ():
            if _elements(value) != 1:
                return None
        if hasattr(value, "item"):  # of torch without the warning that float() gives where a gradient is wanted
            value = value.item()
        return int(value) if isinstance(value, int) else float(value)
    except Exception:
        return None


def _elements(value: Any) -> int:
    count = 1
    for side in value.shape:
        count *= int(side)
    return count


def plain(value: Any) -> Any:
    """What json.dumps takes, whatever `value` is. Never raises."""
    try:
        return _plain(value, 0, set())
    except Exception:
        return f"<unreadable {type(value).__name__}>"


def _plain(value: Any, depth: int, above: set[int]) -> Any:
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is int:
        return value if -(1 << 63) <= value < 1 << 63 else text_of(value)
    if kind is float:
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, str):
        return text_of(str.__str__(value))
    if depth >= MAX_DEPTH:
        return f"<deeper than {MAX_DEPTH}>"
    if id(value) in above:
        return "<cycle>"
    above.add(id(value))
    try:
        return _composed(value, depth + 1, above)
    except Exception:
        return f"<unreadable {kind.__name__}>"
    finally:
        above.discard(id(value))


def _not_finite(value: float) -> str:
    """JSON has no such numbers; wandb writes them so."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _composed(value: Any, depth: int, above: set[int]) -> Any:
    if isinstance(value, Mapping):
        return {key_of(key): _plain(value[key], depth, above) for _, key in zip(range(MAX_ITEMS), value)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one, depth, above) for _, one in zip(range(MAX_ITEMS), value)]
    if isinstance(value, (bytes, bytearray)):
        return text_of(bytes(value[:MAX_TEXT]).decode("utf-8", "replace"))
    if isinstance(value, enum.Enum):
        return _plain(value.value, depth, above)
    if isinstance(value, os.PathLike):
        return text_of(os.fspath(value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    fields = getattr(type(value), "__dataclass_fields__", None)  # the module dataclasses would take longer to import than all of this
    if fields is not None:
        return {str(name): _plain(getattr(value, name, None), depth, above) for name in fields}
    if hasattr(type(value), "__float__") or hasattr(value, "shape"):
        return _array(value, depth, above)
    if isinstance(value, type) or callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}".lstrip(".")
    inside = getattr(value, "__dict__", None)
    if type(value).__name__ == "Namespace" and isinstance(inside, dict):
        return _plain(inside, depth, above)
    return text_of(value, 4096)


def _array(value: Any, depth: int, above: set[int]) -> Any:
    one = number(value)
    if one is not None:
        return _plain(one, depth, above)
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "tolist") and _elements(value) <= MAX_ARRAY:
        return _plain(value.tolist(), depth, above)
    if shape is not None:
        return f"<{type(value).__name__} {getattr(value, 'dtype', '')} {tuple(shape)}>"
    return text_of(value, 4096)


def flat(data: Mapping[Any, Any], separator: str = ".", prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """A nested mapping with one level: {"a": {"b": 1}} is {"a.b": 1}. Values are left as they are."""
    out: dict[str, Any] = {}
    for key, value in data.items():
        name = prefix + key_of(key)
        if isinstance(value, Mapping) and value and depth < MAX_DEPTH:
            out.update(flat(value, separator, name + separator, depth + 1))
        else:
            out[name] = value
    return out


def pieces(values: Mapping[str, Any], most_bytes: int = 40_000) -> list[dict[str, Any]]:
    """What plain() has made, in parts that fit a record of the ring; a single value that does not is a part of its own."""
    out: list[dict[str, Any]] = [{}]
    size = 0
    for key, value in values.items():
        own = len(json.dumps({key: value}, ensure_ascii=False).encode("utf-8", "replace"))
        if out[-1] and size + own > most_bytes:
            out.append({})
            size = 0
        out[-1][key] = value
        size += own
    return out
