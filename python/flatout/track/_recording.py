"""How a script's figures, facts and files get into a recording of flatout's.

Under `flatout run` this process writes into that run's ring; without it, the recorder of this process is started. Nothing here raises to the
script or waits for anybody: what cannot be kept is counted and said in one line.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Callable

__all__ = ["Recording", "open_recording"]

_MOST_FACT_BYTES = 60_000  # of a ring's record of 64 KiB
_IN_FILES = ("track_config", "track_summary", "track_row")  # may be named by a fact instead
_MOST_WAITING = 1024  # facts that a full ring could not take yet
_START_MS = 5000  # within which a started recorder answers
_END_S = 2.0  # within which it says what a full disk has cost
_MOST_DEPTH = 24  # of what is nested in a fact


class Recording:
    """Of this process, and of those that it forks. Any thread."""

    run_id: str = ""
    folder: str | None = None

    def __init__(self, native: Any = None, run_id: str = "", folder: str | None = None, own: bool = False) -> None:
        self.run_id = run_id
        self.folder = folder
        self._native = native
        self._own = own  # its recorder was started for it
        self._notes = ""  # a file into which that writes what it has to say
        self._notes_read = 0
        self._tracks = 0
        self._said: dict[int, str] = {}  # track -> its latest track_run, for a forked child to say again
        self._waiting: list[tuple[str, str]] = []
        self._lost_facts = 0
        self._lost_before: int = native.lost() if native is not None else 0
        self._closed = False
        self._lock = threading.RLock()
        if native is not None:
            # The native function itself: a call of log() goes through no line of Python here.
            self.values: Callable[[int, int, Mapping[str, object]], Any] = native.values
            native.on_new_process(self._in_new_process)
        else:
            self.values = _keep_nothing

    def open_track(self) -> int:
        with self._lock:
            self._tracks += 1
            return self._tracks - 1

    def fact(self, key: str, value: Mapping[str, object]) -> None:
        try:
            if self._native is None:
                return
            text = _json(value)
            if len(text) > _MOST_FACT_BYTES:
                small = self._in_file(value, text) if key in _IN_FILES else _json(_cut(value))
                if small is None or len(small) > _MOST_FACT_BYTES:
                    if small is not None:
                        self._lost_facts += 1
                        _say_once("a fact %s was not kept: it is longer than %d bytes" % (key, _MOST_FACT_BYTES))
                    return
                text = small
            if key == "track_run":
                track = value.get("track")
                self._said[track if isinstance(track, int) else 0] = text
            with self._lock:
                self._waiting.append((key, text))
                self._send()
                self._pass_on_notes()
        except Exception as error:
            self._lost_facts += 1
            _say_once("a fact %s was not kept: %s: %s" % (key, type(error).__name__, error))

    def file(self, source: str | bytes, extension: str, shown: str | None = None) -> tuple[str, int]:
        """Its name under files/ and its size; ("", 0) where it could not be kept. `shown`: its name for the user."""
        try:
            if self.folder is None:
                return "", 0
            from . import _files

            return _files.keep(self.folder, source, extension)
        except Exception as error:
            self._lost_facts += 1
            what = shown or (source if isinstance(source, str) else "%d bytes" % len(source))
            _say_once("%s was not kept: %s; the program goes on" % (what, _reason(error)))
            return "", 0

    def dropped(self) -> int:
        """Numbers and facts that were not kept so far."""
        return self.dropped_by_ring() + self._lost_facts

    def dropped_by_ring(self) -> int:
        """Those for which the ring had no room. What else was not kept has a line of its own."""
        try:
            return int(self._native.lost() - self._lost_before) if self._native is not None else 0
        except Exception:
            return 0

    def close(self, exit_code: int) -> None:
        """Of the last track. A recorder that was started for this process ends."""
        global _current
        try:
            with self._lock:
                if self._closed or self._native is None:
                    return
                self._closed = True
                self._send(patience_s=1.0)
                self._say_losses()
                self._pass_on_notes()
                if self._own and os.getpid() == self._pid:
                    self._native.fact("track_close", json.dumps({"exit_code": int(exit_code)}))
                    self._hear_the_end()
                    for name in ("FLATOUT_TRACK_RINGS", "FLATOUT_TRACK_IPC", "FLATOUT_TRACK_RUN"):
                        os.environ.pop(name, None)
                    if _current is self:
                        _current = None
                else:
                    self._closed = False  # of a run that goes on: there may be another init()
        except Exception:
            pass

    def _say_losses(self) -> None:
        values = int(self._native.lost() - self._lost_before)
        if values or self._lost_facts:
            self._native.fact("track_loss", json.dumps({"values": values, "facts": self._lost_facts}))

    # The ring is full only for as long as nobody reads it: what it does not take now, it takes with the next fact.
    def _send(self, patience_s: float = 0.0) -> None:
        import time

        until = time.monotonic() + patience_s
        while self._waiting:
            if self._native.fact(*self._waiting[0]):
                del self._waiting[0]
            elif time.monotonic() < until:
                time.sleep(0.005)
            else:
                break
        if len(self._waiting) > _MOST_WAITING or (patience_s and self._waiting):
            gone = len(self._waiting) if patience_s else len(self._waiting) - _MOST_WAITING
            del self._waiting[:gone]
            self._lost_facts += gone
            _say_once("facts of this run were not kept, as nobody reads its ring any more")

    # Such as a full disk: the recorder has no terminal of its own.
    def _pass_on_notes(self) -> None:
        if not self._notes or not os.path.exists(self._notes):
            return
        try:
            with open(self._notes, "rb") as file:
                self._say_notes(file)
        except OSError:  # the recorder has just ended
            return

    def _say_notes(self, file: Any) -> None:
        file.seek(self._notes_read)
        text = file.read(1 << 16)
        whole = text.rfind(b"\n") + 1
        self._notes_read += whole
        for line in text[:whole].decode("utf-8", "replace").splitlines():
            _say_once(line[len("flatout: "):] if line.startswith("flatout: ") else line)

    # Where the disk was full, what could not be written is counted when the recorder ends.
    def _hear_the_end(self) -> None:
        import time

        if not self._notes_read:
            return
        until = time.monotonic() + _END_S
        with open(self._notes, "rb") as file:  # it is removed as soon as all is said
            while time.monotonic() < until and os.path.isdir(os.path.dirname(self._notes)):
                time.sleep(0.005)
            self._say_notes(file)

    def _in_file(self, value: Mapping[str, object], text: str) -> str | None:
        name, _bytes = self.file(text.encode("utf-8", "replace"), "json")
        if not name:
            self._lost_facts += self.folder is None
            _say_once("a fact of %d bytes was left out: it is too large for the ring" % len(text))
            return None
        small: dict[str, object] = {"track": value.get("track", 0), "in_file": name}
        if isinstance(value.get("step"), int):
            small["step"] = value["step"]
        return json.dumps(small)

    def _in_new_process(self) -> None:
        """Before the first record of a process that was forked."""
        self._lost_before = self._native.lost()
        for text in list(self._said.values()):
            self._native.fact("track_run", text)

    _pid = 0


def _keep_nothing(_track: int, _step: int, _data: Mapping[str, object]) -> None:
    return None


_current: Recording | None = None
# Taken again by its own thread where the program's finalizers log while a recording is opened.
_opening = threading.RLock()
_is_opening = False


def _after_fork() -> None:
    """In the child: another thread of the parent may have held the locks; what waited there is sent there."""
    global _opening, _is_opening
    _opening = threading.RLock()
    _is_opening = False
    if _current is not None:
        _current._lock = threading.RLock()
        _current._waiting = []
        _current._lost_facts = 0


os.register_at_fork(after_in_child=_after_fork)


def open_recording(name: str | None = None, home: str | None = None, quiet: bool = False) -> Recording:
    """The recording of this process: the same again until it was closed."""
    global _current, _is_opening
    with _opening:
        if _is_opening:  # within the call below
            return _nothing("", True)
        if _current is None or (_current._own and _current._pid != os.getpid() and not _is_there(_current)):
            _is_opening = True
            try:
                _current = _open(name, home, quiet)
            except Exception as error:
                _current = _nothing("%s: %s" % (type(error).__name__, error), quiet)
            finally:
                _is_opening = False
            _current._pid = os.getpid()
        return _current


def _is_there(recording: Recording) -> bool:
    """Whether the recording that the parent had started still takes something."""
    rings = os.environ.get("FLATOUT_TRACK_RINGS")
    return bool(rings) and os.path.isdir(rings or "") and os.environ.get("FLATOUT_TRACK_RUN") == recording.run_id


def _open(name: str | None, home: str | None, quiet: bool) -> Recording:
    native = _load_native()
    environment = os.environ
    rings = environment.get("FLATOUT_RING_DIR", "")
    if rings and os.path.isdir(rings):
        if native.open(rings, environment.get("FLATOUT_RING_IPC", ""), quiet or bool(environment.get("FLATOUT_QUIET"))):
            return Recording(native, environment.get("FLATOUT_RUN", ""), environment.get("FLATOUT_TRACK_FILES"))
        return _nothing("", True)  # the native side said why
    rings = environment.get("FLATOUT_TRACK_RINGS", "")
    if rings and os.path.isdir(rings):  # of the process that started this one
        if native.open(rings, environment.get("FLATOUT_TRACK_IPC", ""), quiet):
            return Recording(native, environment.get("FLATOUT_TRACK_RUN", ""), environment.get("FLATOUT_TRACK_FILES"))
        return _nothing("", True)
    return _start(native, name, home, quiet)


def _start(native: Any, name: str | None, home: str | None, quiet: bool) -> Recording:
    words = [_program(), "attach", str(os.getpid())]
    if name:
        words += ["--name=" + name]
    if home:
        words += ["--home=" + home]
    line, error = native.start(tuple(os.fsencode(word) for word in words), _START_MS)
    if error:
        return _nothing("%s attach: %s" % (words[0], os.strerror(error)), quiet)
    answer = json.loads(line)
    if "error" in answer:
        return _nothing(answer["error"], quiet)
    if not native.open(answer["rings"], answer.get("ipc", ""), quiet):
        return _nothing("", True)
    if answer.get("note") and not quiet:
        _say_once(answer["note"])
    recording = Recording(native, answer["run"], answer.get("files"), own=True)
    recording._notes = "" if quiet else os.path.join(answer["rings"], "notes")
    # For processes that this one starts and that log, too.
    os.environ.update({"FLATOUT_TRACK_RINGS": answer["rings"], "FLATOUT_TRACK_IPC": answer.get("ipc", ""), "FLATOUT_TRACK_RUN": answer["run"],
                       "FLATOUT_TRACK_FILES": answer.get("files") or ""})
    return recording


def _nothing(why: str, quiet: bool) -> Recording:
    if why and not quiet:
        _say_once("what the program logs is not kept: %s; the program goes on" % why)
    return Recording()


def _root() -> str:
    """lib/flatout: of the package that `flatout run --capture` brings, else beside the program that belongs to this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    above = os.path.normpath(os.path.join(here, "..", "..", ".."))
    if os.path.isfile(os.path.join(above, "_track.abi3.so")):
        return above
    from ..program import find_prefix

    return os.path.join(find_prefix(), "lib", "flatout")


def _program() -> str:
    """The absolute path of `flatout`, of the same copy as the native module."""
    place = os.path.normpath(os.path.join(_root(), "..", "..", "bin", "flatout"))
    if os.path.isfile(place) and not os.environ.get("FLATOUT_BIN"):
        return place
    from ..program import find_program

    return find_program()


_native: Any = None


def _load_native() -> Any:
    global _native
    if _native is None:
        from importlib.machinery import ExtensionFileLoader, ModuleSpec
        from importlib.util import module_from_spec

        path = os.path.join(_root(), "_track.abi3.so")
        loader = ExtensionFileLoader("_track", path)
        module = module_from_spec(ModuleSpec("_track", loader, origin=path))
        loader.exec_module(module)
        _native = module
    return _native


def _json(value: object) -> str:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        text = json.dumps(_plain(value, 0), allow_nan=False, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # a lone surrogate is no text


def _plain(value: object, depth: int) -> object:
    """What JSON can hold: numbers that are not finite as text, and what is of no type of its own by its name."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value) if -(1 << 63) <= value < 1 << 64 else str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if depth >= _MOST_DEPTH:
        return "..."
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(one, depth + 1) for key, one in list(value.items())}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one, depth + 1) for one in list(value)]
    return "<%s>" % type(value).__name__


def _cut(value: Mapping[str, object]) -> dict[str, object]:
    """Of names and notes a script may give any: 4000 characters of each, 100 of a list."""
    def short(one: object) -> object:
        return one[:4000] if isinstance(one, str) else [short(part) for part in one[:100]] if isinstance(one, (list, tuple)) else one

    return {key: short(one) for key, one in value.items()}


def _reason(error: BaseException) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "%s: %s" % (type(error).__name__, error)


_lines: set[str] = set()


def _say_once(line: str) -> None:
    if line in _lines or len(_lines) > 100 or os.environ.get("FLATOUT_QUIET"):
        return
    _lines.add(line)
    try:
        text = "flatout: %s\n" % " ".join(line.split())
        sys.stderr.write(text)
    except Exception:
        pass
