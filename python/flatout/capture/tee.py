"""What the tees share: a method that does what it did, after which what it was given is recorded."""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from typing import Any, Callable

from flatout.track._run import Run
from flatout.track.errors import say_once
from flatout.track.settings import Asked, Settings

__all__ = ["after", "mirror", "text_id"]

_inside = threading.local()


def after(holder: Any, name: str, record: Callable[..., None]) -> bool:
    """Puts record(result, *args, **kwargs) behind holder.name. A call made by another recorded call is part of it and not recorded again.

    The program gets the result or the exception of the original. False where there is no such function.
    """
    original = holder.__dict__.get(name) if isinstance(holder, type) else getattr(holder, name, None)
    if original is None or not callable(original) or getattr(original, "_is_flatouts", False):
        return False

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if getattr(_inside, "depth", 0):
            return original(*args, **kwargs)
        _inside.depth = 1
        try:
            result = original(*args, **kwargs)
        finally:
            _inside.depth = 0
        try:
            record(result, *args, **kwargs)
        except Exception as error:
            say_once(f"{name}: not recorded: {type(error).__name__}: {error}", f"{name} {type(error).__name__}")
        return result

    call._is_flatouts = True  # type: ignore[attr-defined]
    setattr(holder, name, call)
    return True


def mirror(source: str, settings: Settings | None = None, **about: Any) -> Run:
    """A tracked run beside the one of another tracker."""
    asked = Asked()
    asked.__dict__.update(about)
    return Run(asked, source, settings)


def text_id(*parts: str) -> str:
    """The same in each process of a recording."""
    seed = os.environ.get("FLATOUT_RUN", "") + "\0" + "\0".join(parts)
    return hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:12]
