"""Files that a tracked run keeps, by their content: <folder>/<sha256>.<ext>, each once, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import stat

__all__ = ["keep", "open_regular", "write_into"]

_PIECE = 1 << 20
_MOST_OF_NO_SIZE = 64 << 20  # of files in /proc and /sys, which have none


def keep(folder: str, source: str | bytes, extension: str) -> tuple[str, int]:
    """Copies a file, or writes bytes. Its name there and its size; OSError where that cannot be done."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    suffix = "".join(c for c in extension.lower() if c.isascii() and c.isalnum())[:16] or "bin"
    temporary = os.path.join(folder, ".%d.%s.tmp" % (os.getpid(), os.urandom(8).hex()))
    out = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            digest, size = write_into(out, source)
        finally:
            os.close(out)
        name = "%s.%s" % (digest, suffix)
        place = os.path.join(folder, name)
        if os.path.exists(place):
            os.unlink(temporary)
        else:
            os.rename(temporary, place)
        return name, size
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def write_into(out: int, source: str | bytes) -> tuple[str, int]:
    """All of a file, or bytes, into an open descriptor: its SHA-256 and its size."""
    digest = hashlib.sha256()
    size = 0
    if not isinstance(source, str):
        _write_all(out, source)
        digest.update(source)
        return digest.hexdigest(), len(source)
    file, left = open_regular(source)
    try:
        while left > 0:
            piece = os.read(file, min(left, _PIECE))
            if not piece:
                break
            digest.update(piece)
            _write_all(out, piece)
            size += len(piece)
            left -= len(piece)
    finally:
        os.close(file)
    return digest.hexdigest(), size


def open_regular(path: str) -> tuple[int, int]:
    """A descriptor to read it, and how much to read: what it holds now, so that one that grows has an end.

    OSError where it is no file. What it is, is asked when it is open: another thread may put a pipe in its place before that.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file", path)
    except BaseException:
        os.close(file)
        raise
    return file, status.st_size or _MOST_OF_NO_SIZE


def _write_all(out: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(out, rest):]
