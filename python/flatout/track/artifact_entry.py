"""One file of an artifact, or a reference to one elsewhere."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from flatout.track._files import open_regular
from flatout.track._placed import place
from flatout.track._staging import Staged
from flatout.track.errors import UsageError

__all__ = ["Entry"]


class Entry:
    """`local`: the file as it is read now; None of a reference, and where it is `staged`, a copy of ours.

    `about`: of the file that a reference names. Its size and time stand for its content, which may be too much to read.
    """

    def __init__(self, path: str, local: str | None, ref: str | None = None, staged: Staged | None = None, given: str | None = None,
                 default_root: str = "artifacts", about: os.stat_result | None = None) -> None:
        self.path = path
        self.ref = ref
        self.given = given  # the path that the script named
        self.default_root = default_root
        self._local = staged.path if staged is not None else local
        self._staged = staged
        self._digest = staged.digest if staged is not None else None
        self.size = staged.size if staged is not None else os.path.getsize(local) if local else about.st_size if about is not None else None
        self._stamp = f" {about.st_size} {about.st_mtime_ns}" if about is not None else ""

    def download(self, root: Any = None, **_: Any) -> str:
        """A copy of the script's own, below `root` or below ./artifacts/NAME."""
        if self._local is None:
            raise UsageError(f"{self.path} is a reference to {self.ref}; flatout does not fetch it")
        return place(self._local, os.fspath(root or self.default_root), self.path)

    def local_path(self) -> str | None:
        return self._local

    def ref_target(self) -> str | None:
        return self.ref

    def content(self) -> bytes:
        """A hash of it: of a copy of ours, that of the moment in which it was made."""
        if self._local is None:
            return ((self.ref or "") + self._stamp).encode("utf-8", "replace")
        return self._digest if self._digest is not None else _hash(self._local)

    def kept(self, path: str) -> None:
        """It lies among the run's files now; the copy goes."""
        self._local, self._staged = path, None


def _hash(path: str) -> bytes:
    out = hashlib.sha256()
    try:
        with open(open_regular(path)[0], "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                out.update(block)
    except OSError:
        return b""
    return out.digest()
