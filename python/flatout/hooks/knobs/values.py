"""Which values a knob takes, by what is declared of it (table.py, from schema/knobs.toml)."""

from __future__ import annotations

import re

from .table import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class OfTable:
    """A knob whose values are those that are declared; subclasses have its `id`."""

    id = ""

    @classmethod
    def wrong(cls, value: Any) -> str | None:
        """Why `value` is none of its values, None where it is one."""
        return wrong_value(TABLE[cls.id], value)


def wrong_value(declared: Any, value: Any) -> str | None:
    kind, takes = declared.value, declared.takes
    if kind == "switch":
        return None if type(value) is bool else "its value must be true or false"
    if kind == "on":
        return None if value is True else "its value must be true"
    if kind == "word":
        words = ['"%s"' % word for word in takes]
        listed = ", ".join(words[:-1]) + " or " + words[-1]
        return None if isinstance(value, str) and value in takes else "its value must be " + listed
    if type(value) is int and takes[0] <= value <= takes[1] or kind == "parts" and 2 <= joined(value) <= takes[1]:
        return None
    must = "its value must be a whole number from %d to %d" % takes
    return must + ', or "1/2", "1/3", ... to join' if kind == "parts" else must


def joined(value: Any) -> int:
    """j of "1/j", 0 = it is none."""
    found = re.fullmatch(r"1/([1-9][0-9]{0,8})", value) if isinstance(value, str) else None
    return int(found.group(1)) if found else 0
