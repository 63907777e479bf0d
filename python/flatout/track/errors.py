"""Exceptions of wandb's names, and the lines that this package says on stderr."""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["AuthenticationError", "CommError", "ConfigError", "Error", "UnsupportedError", "UsageError", "say", "say_once"]


class Error(Exception):
    """Of wandb's name; all others are below it."""

    def __init__(self, message: str = "", context: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context


class CommError(Error):
    """wandb raises it where its server cannot be reached; here there is none."""


class AuthenticationError(CommError):
    """Of wandb's name; never raised here."""


class UsageError(Error):
    """A call that can have no meaning here."""


class UnsupportedError(UsageError):
    """A call of wandb that needs its server."""


class ConfigError(Error):
    """Of wandb's name; never raised here: a changed value is taken, and a line said."""


_said: set[str] = set()


def say(text: str) -> None:
    """One line on stderr, unless WANDB_SILENT or FLATOUT_QUIET are set. Never raises."""
    if os.environ.get("FLATOUT_QUIET") or os.environ.get("WANDB_SILENT", "").lower() in ("1", "true", "yes", "on"):
        return
    try:
        line = "".join(c if c.isprintable() else "?" for c in text[:600])
        sys.stderr.write(f"flatout.track: {line}\n")
    except Exception:  # a closed stderr
        pass


def say_once(text: str, key: str | None = None) -> None:
    """The same line once a process."""
    mark = text if key is None else key
    if mark in _said:
        return
    _said.add(mark)
    say(text)
