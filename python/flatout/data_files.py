"""Files that a user names by patterns."""

import glob
import os
import re

__all__ = ["named_files"]


def named_files(patterns):
    """The paths that a path, or each of a list, stands for: "a-{000..099}.tar" for a hundred, wildcards for what is there."""
    several = [patterns] if isinstance(patterns, (str, os.PathLike)) else list(patterns)
    return [path for one in several for braced in _without_braces(os.fspath(one)) for path in _matching(braced)]


def _without_braces(pattern):
    """a-{08..10}.tar -> a-08.tar, a-09.tar, a-10.tar; a-{x,y}.tar -> a-x.tar, a-y.tar."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern]
    bounds = re.fullmatch(r"(\d+)\.\.(\d+)", found[1])
    if bounds:
        width = len(bounds[1]) if len(bounds[1]) == len(bounds[2]) or bounds[1].startswith("0") else 0
        words = [str(number).zfill(width) for number in range(int(bounds[1]), int(bounds[2]) + 1)]
    else:
        words = found[1].split(",")
    return [whole for word in words for whole in _without_braces(pattern[:found.start()] + word + pattern[found.end():])]


def _matching(path):
    if not glob.has_magic(path) or os.path.exists(path):
        return [path]
    return sorted(glob.glob(path))
