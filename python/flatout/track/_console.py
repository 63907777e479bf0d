"""What a script with a tracked run writes to stdout and stderr is recorded, as wandb does it (console="wrap").

`write` of sys.stdout and sys.stderr gets a native callable in front of it (src/inject/output); the objects stay what they are. With the last
run's end they are as before. `flatout run --record-output` has done the same already, for the whole process.
"""

from __future__ import annotations

import os
from typing import Any

from flatout.track.errors import say_once

__all__ = ["begin", "end", "wanted"]

_runs: list[Any] = []  # whose output is recorded
_native: Any = None  # where it began by us


def wanted(settings: Any) -> tuple[bool, bool]:
    """Of stdout and stderr, by settings.console and WANDB_CONSOLE: anything but "off" records."""
    chosen = getattr(settings, "console", None) or os.environ.get("WANDB_CONSOLE") or "auto"
    on = str(getattr(chosen, "value", chosen)).lower() != "off"
    return on, on


def begin(run: Any, recording: Any, streams: tuple[bool, bool]) -> None:
    global _native
    try:
        native, files = getattr(recording, "_native", None), getattr(recording, "folder", None)
        if native is None or not files or not any(streams):
            return
        _runs.append(run)
        if native.record_output(os.path.join(os.path.dirname(files), "output"), *streams):
            _native = native
    except Exception as error:
        say_once(f"output is not recorded: {type(error).__name__}: {error}", "output")


def end(run: Any) -> None:
    global _native
    try:
        if run not in _runs:
            return
        _runs.remove(run)
        if _runs or _native is None:
            return
        native, _native = _native, None
        native.stop_output()
        lost = native.lost_output()
        if lost:
            say_once(f"{lost} lines of the program's output were not kept: their folder could not be written")
    except Exception as error:
        say_once(f"output: {type(error).__name__}: {error}", "output")
