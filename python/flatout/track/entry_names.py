"""Names of artifacts and of what is in them: places inside the artifact, never outside."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from flatout.track.plain import text_of

__all__ = ["can_be_a_path", "folder_name", "name_inside", "plain_name"]


def plain_name(given: Any) -> str:
    """Without repeated slashes and single dots, as wandb writes names. TypeError for what is no name."""
    return str(PurePosixPath(os.fsdecode(os.fspath(given))))


def name_inside(given: Any) -> str:
    """The plain name; ValueError, as in wandb, for an absolute one, one with "..", and one of nothing.

    What would be so on Windows is refused too, since an artifact may be read there.
    """
    name = plain_name(given)
    here, there = PurePosixPath(name), PureWindowsPath(name)
    if name == "." or here.anchor or there.anchor or ".." in here.parts or ".." in there.parts:
        raise ValueError(f"Invalid artifact path: {text_of(given, 300)!r} (a name inside the artifact is relative and has no '..')")
    return name


def can_be_a_path(name: str) -> bool:
    """False of a name with a NUL or with half of a character: an artifact may hold it, as in wandb, a folder cannot."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def folder_name(artifact: str) -> str:
    """One part of a path, of any text."""
    return re.sub(r"[^a-zA-Z0-9_\-.]", "_", artifact)[:128] or "artifact"
