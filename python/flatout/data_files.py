"""Files that a user names by patterns."""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING, Iterable, Union

from flatout.data_arguments import Argument

if TYPE_CHECKING:
    StrPath = Union[str, "os.PathLike[str]"]

__all__ = ["named_files"]

_BRACES = re.compile(r"\{(\d+\.\.\d+|[^{}]*,[^{}]*)\}")
_MOST = 100_000  # as many shards as a set has at most


def named_files(patterns: StrPath | Iterable[StrPath], call: str, name: str) -> list[str]:
    """The paths that a path, or each of a list, stands for: "a-{000..099}.tar" for a hundred, wildcards for what is there.

    What is there under the name as it stands is that file.
    `call` and `name` are of the user's argument, for the error.
    """
    if isinstance(patterns, (str, bytes, os.PathLike)) or not hasattr(patterns, "__iter__"):
        patterns = [patterns]  # type: ignore[list-item]
    out = []
    for one in patterns:
        argument = Argument(call, name, one)
        path = argument.path()
        if not os.path.exists(path) and _count(path) > _MOST:
            argument.too_many(_MOST)
        for braced in [path] if os.path.exists(path) else _without_braces(path):
            out += _matching(braced)
    return out


def _without_braces(pattern: str) -> list[str]:
    """a-{08..10}.tar -> a-08.tar, a-09.tar, a-10.tar; a-{x,y}.tar -> a-x.tar, a-y.tar; a-{x}.tar as it is, as in a shell."""
    found = _BRACES.search(pattern)
    if not found:
        return [pattern]
    bounds = re.fullmatch(r"(\d+)\.\.(\d+)", found[1])
    if bounds:
        width = len(bounds[1]) if len(bounds[1]) == len(bounds[2]) or bounds[1].startswith("0") else 0
        first, last = int(bounds[1]), int(bounds[2])
        step = 1 if first <= last else -1
        words = [str(number).zfill(width) for number in range(first, last + step, step)]
    else:
        words = found[1].split(",")
    return [whole for word in words for whole in _without_braces(pattern[:found.start()] + word + pattern[found.end():])]


def _count(pattern: str) -> int:
    """How many paths braces stand for, without making them; of many more than _MOST, some number above it."""
    count = 1
    for found in _BRACES.finditer(pattern):
        first, to, last = found[1].partition("..")
        numbers = to and first.isdigit() and last.isdigit()
        if numbers and max(len(first.lstrip("0")), len(last.lstrip("0"))) > 12:
            return _MOST + 1
        count *= abs(int(last) - int(first)) + 1 if numbers else found[1].count(",") + 1
        if count > _MOST:
            break
    return count


def _matching(path: str) -> list[str]:
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    return sorted(glob.glob(path))
