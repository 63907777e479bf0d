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


def named_files(patterns: StrPath | Iterable[StrPath], call: str, name: str) -> list[str]:
    """The paths that a path, or each of a list, stands for: "a-{000..099}.tar" for a hundred, wildcards for what is there.

    What is there under the name as it stands is that file.
    `call` and `name` are of the user's argument, for the error.
    """
    if isinstance(patterns, (str, bytes, os.PathLike)) or not hasattr(patterns, "__iter__"):
        patterns = [patterns]  # type: ignore[list-item]
    out = []
    for one in patterns:
        path = Argument(call, name, one).path()
        for braced in [path] if os.path.exists(path) else _without_braces(path):
            out += _matching(braced)
    return out


def _without_braces(pattern: str) -> list[str]:
    """a-{08..10}.tar -> a-08.tar, a-09.tar, a-10.tar; a-{x,y}.tar -> a-x.tar, a-y.tar; a-{x}.tar as it is, as in a shell."""
    found = re.search(r"\{(\d+\.\.\d+|[^{}]*,[^{}]*)\}", pattern)
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


def _matching(path: str) -> list[str]:
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    return sorted(glob.glob(path))
