"""One tracked run's way into the recording: a track number, values, facts and files. Nothing here raises."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any, Callable

from flatout.track.errors import say_once
from flatout.track.plain import plain

__all__ = ["Channel", "closed_channel", "open_channel", "trial_channel"]

MAX_FILE_BYTES = 16 << 30


class Nothing:
    """A recording that keeps nothing."""

    run_id = ""
    folder: str | None = None

    def open_track(self) -> int:
        return 0

    def values(self, track: int, step: int, data: Mapping[str, object]) -> Mapping[str, object] | None:
        return None

    def fact(self, key: str, value: Mapping[str, object]) -> None:
        return None

    def file(self, source: str | bytes, extension: str, shown: str | None = None) -> tuple[str, int]:
        return "", 0

    def dropped_by_ring(self) -> int:
        return 0

    def close(self, exit_code: int) -> None:
        return None


class Channel:
    """Of one tracked run in one process. Any thread."""

    def __init__(self, recording: Any) -> None:
        self.recording = recording
        self.track: int = recording.open_track()
        self.values: Callable[[int, int, Mapping[str, Any]], Any] = recording.values
        self.pid = os.getpid()

    def fact(self, key: str, body: Mapping[str, Any]) -> None:
        try:
            self.recording.fact(key, {"track": self.track, **body})
        except Exception as error:
            say_once(f"a fact {key} was not kept: {type(error).__name__}: {error}", key)

    def file(self, source: str | bytes, extension: str, shown: str | None = None) -> tuple[str, int] | None:
        """Its name among the run's files and its size; None, and a line with the name `shown`, where it could not be kept."""
        try:
            if self.recording.folder is None:
                return None
            if isinstance(source, str):
                if not os.path.isfile(source):  # a pipe would block, a folder is none
                    say_once(f"not kept: {shown or source} is no file")
                    return None
                if os.path.getsize(source) > MAX_FILE_BYTES:
                    say_once(f"not kept: {shown or source} is larger than {MAX_FILE_BYTES >> 30} GiB")
                    return None
            name, size = self.recording.file(source, _extension(extension), shown)
            return (name, size) if name else None
        except Exception as error:
            what = shown or (source if isinstance(source, str) else "a file")
            say_once(f"not kept: {what}: {type(error).__name__}: {error}", f"file {type(error).__name__}")
            return None

    def end(self, exit_code: int | None, last: bool) -> None:
        self.fact("track_end", {} if exit_code is None else {"exit_code": exit_code})
        try:
            lost = self.recording.dropped_by_ring()
            if lost:
                say_once(f"{lost} records were dropped, as the ring was full; FLATOUT_RING_BYTES makes it larger")
            if last:
                self.recording.close(exit_code or 0)
        except Exception as error:
            say_once(f"the recording did not end well: {type(error).__name__}: {error}", "close")


def _extension(text: str) -> str:
    """Letters and digits alone: it becomes part of a file's name."""
    kept = "".join(c for c in text.lower() if c.isascii() and c.isalnum())
    return kept[:12] or "bin"


def open_channel(name: str | None) -> Channel:
    """A new track of this process's recording; one that keeps nothing, with a line, where there is none."""
    try:
        return Channel(importlib.import_module("flatout.track._recording").open_recording(plain(name)))
    except Exception as error:
        say_once(f"nothing is recorded: {type(error).__name__}: {error}", "recording")
        return Channel(Nothing())


def trial_channel() -> Channel:
    """Its values are figures of the process, as those of flatout_log: of no tracked run. Only within a recording."""
    if not os.path.isdir(os.environ.get("FLATOUT_RING_DIR") or "/nowhere"):
        return closed_channel()
    channel = open_channel(None)
    channel.track = 0
    return channel


def closed_channel() -> Channel:
    """For mode "disabled"."""
    return Channel(Nothing())
