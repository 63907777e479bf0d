"""Files that an artifact is given, copied into a folder of this process's own until they are logged.

Their names there are numbers: no name that a script gives becomes part of a path, so that none can lead out of the folder or onto another
file. A file goes when nothing refers to it any more, the folder when it is empty or the process ends; what a killed process leaves is
removed by the next flatout (src/app/sweep.cc), by the mark that stands in it.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import threading
import weakref

from flatout.track._files import open_regular, write_into
from flatout.track._owner_mark import Mark
from flatout.track.errors import say_once

__all__ = ["Staged", "close", "stage", "stage_folder"]

_PREFIX = "flatout-artifact-"  # known to src/app/sweep.cc
_MOST_OF_FREE = 0.9


class Staged:
    """A file or a folder of ours; it is removed with the last reference to it. A copy is the same one; one by pickle only names it."""

    def __init__(self, path: str, digest: bytes = b"", size: int = 0) -> None:
        self.path = path
        self.digest = digest
        self.size = size

    def __deepcopy__(self, memo: object) -> Staged:
        return self

    def __copy__(self) -> Staged:
        return self

    def __reduce__(self) -> tuple[type[Staged], tuple[str, bytes, int]]:
        return Staged, (self.path, self.digest, self.size)


class _Folder:
    """The folder of this process; made when it is needed, gone with the last file in it."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.path: str | None = None
        self.over = False  # the process ends: nothing would remove a folder that is made now
        self._mark: Mark | None = None
        self._in_use = 0
        self._numbers = itertools.count()
        self._lock = threading.RLock()  # a file may be collected, and so removed, anywhere

    def new_path(self) -> str:
        """A path that nothing has; to be given back by `free`."""
        with self._lock:
            self._in_use += 1  # first: it is in use from here on
            try:
                if self.over:
                    raise OSError("the process ends")
                if self.path is None:
                    self.path = _make()
                    self._mark = Mark(self.path)
            except BaseException:
                self._in_use -= 1
                raise
            return os.path.join(self.path, str(next(self._numbers)))

    def free(self, path: str) -> None:
        if self.pid != os.getpid():  # forked: the files are the parent's, and its lock may never be free here
            return
        with self._lock:
            if self.path is None or os.path.dirname(path) != self.path:
                return
            _remove(path)
            self._in_use -= 1
            if self._in_use == 0:
                self.close()

    def close(self) -> None:
        with self._lock:
            path, self.path = self.path, None
            mark, self._mark = self._mark, None
            self._in_use = 0
            if path is not None and self.pid == os.getpid():
                _remove(path)
            if mark is not None:
                mark.close()


_folder = _Folder()


def _in_child() -> None:
    """The folder is the parent's, and so are the files in it; another thread of the parent may have held the lock."""
    global _folder
    _folder = _Folder()


os.register_at_fork(after_in_child=_in_child)


def _make() -> str:
    for root in _roots():
        try:
            return tempfile.mkdtemp(prefix=_PREFIX, dir=root)
        except OSError:
            continue
    raise FileNotFoundError("neither TMPDIR nor /var/tmp nor /tmp takes files")


def _roots() -> list[str]:
    """Those that are swept. On a disk first, as a file may be a checkpoint."""
    given = os.environ.get("TMPDIR", "")
    return [*([given] if os.path.isabs(given) else []), "/var/tmp", "/tmp"]


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except IsADirectoryError:
        import shutil

        shutil.rmtree(path, ignore_errors=True)  # follows no link
    except OSError:
        pass


def _owned(folder: _Folder, path: str, digest: bytes = b"", size: int = 0) -> Staged:
    staged = Staged(path, digest, size)
    weakref.finalize(staged, folder.free, path).atexit = False  # type: ignore[misc]  # then, close() removes all at once
    _close_in_worker()
    return staged


def stage(source: str | bytes) -> Staged | None:
    """A copy of it as it is now. OSError where it cannot be read; None, and a line, where there is no room for a copy."""
    folder = _folder
    shown = source if isinstance(source, str) else f"an object of {len(source)} bytes"
    if isinstance(source, str):
        file, _ = open_regular(source)
        size = os.fstat(file).st_size
        os.close(file)
    else:
        size = len(source)
    path = ""
    try:
        path = folder.new_path()
        _check_room(os.path.dirname(path), size)
        out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o400)
        try:
            digest, size = write_into(out, source)
        finally:
            os.close(out)
    except BaseException as error:
        if path:
            folder.free(path)
        if not isinstance(error, OSError):
            raise
        then = "it is read when its artifact is logged, and must not change until then" if isinstance(source, str) else "it is left out"
        say_once(f"{shown} could not be copied ({error.strerror or error}): {then}")
        return None
    return _owned(folder, path, bytes.fromhex(digest), size)


def _check_room(folder: str, size: int) -> None:
    found = os.statvfs(folder)
    if size > _MOST_OF_FREE * found.f_bavail * found.f_frsize:
        raise OSError(f"{folder} has no room for {size} bytes")


def stage_folder() -> Staged:
    """An empty folder, for a file that the script writes under its own name. OSError where there is none."""
    folder = _folder
    path = folder.new_path()
    try:
        os.mkdir(path, 0o700)
    except BaseException:
        folder.free(path)
        raise
    return _owned(folder, path)


def close() -> None:
    """At the end of the process: what is left of this process's folder."""
    _folder.over = True
    _folder.close()


_closes_in: int | None = None  # the process that was told to


def _close_in_worker() -> None:
    """A process of multiprocessing ends without atexit."""
    global _closes_in
    process = sys.modules.get("multiprocessing.process")
    if _closes_in == os.getpid() or process is None or process.parent_process() is None:
        return
    _closes_in = os.getpid()
    from multiprocessing.util import Finalize

    Finalize(None, close, exitpriority=-100)
