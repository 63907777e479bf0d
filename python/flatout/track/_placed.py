"""A file put into a folder of the script's under a name from an artifact: below that folder, wherever the name and links there would lead."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from flatout.track._files import open_regular, write_into
from flatout.track.entry_names import name_inside

__all__ = ["place"]


def place(source: str, root: str, name: str) -> str:
    """The path of the copy. ValueError where the name is none inside; OSError where it cannot be written.

    A file of the same content is left as it is. Any other, or a link, is replaced as a name, never opened to write: it may be a link to a
    file elsewhere.
    """
    *above, last = name_inside(name).split("/")
    os.makedirs(root, exist_ok=True)
    folder = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in above:
            inner = _enter(folder, part, root)
            os.close(folder)
            folder = inner
        if not _is_there(source, folder, last):
            _replace(source, folder, last)
    finally:
        os.close(folder)
    return os.path.join(root, *above, last)


def _enter(folder: int, part: str, root: str) -> int:
    try:
        os.mkdir(part, dir_fd=folder)
    except FileExistsError:
        if stat.S_ISLNK(os.lstat(part, dir_fd=folder).st_mode):
            raise OSError(errno.ELOOP, "it is a link, which is not followed", os.path.join(root, part)) from None
    return os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _is_there(source: str, folder: int, name: str) -> bool:
    """True where the name is a file that holds the same already: it may be the source itself."""
    try:
        status = os.lstat(name, dir_fd=folder)
        if not stat.S_ISREG(status.st_mode) or status.st_size != os.stat(source).st_size:
            return False
        there = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    with open(there, "rb") as one, open(open_regular(source)[0], "rb") as other:
        while True:
            piece = one.read(1 << 20)
            if piece != other.read(1 << 20):
                return False
            if not piece:
                return True


def _replace(source: str, folder: int, name: str) -> None:
    temporary = f".flatout-{os.urandom(8).hex()}.tmp"
    out = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        try:
            write_into(out, source)
        finally:
            os.close(out)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
