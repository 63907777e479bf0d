"""Whose a temporary folder is, as src/launch/owner_mark.h has it: so that a later flatout can remove what a killed process left.

`.owner` is a link to "<pid>.<start ticks>.<boot id>.<PID namespace>:"; `.lock` is held locked by its owner, and by what it forks.
"""

from __future__ import annotations

import fcntl
import os

__all__ = ["Mark"]


class Mark:
    """A mark of this process on `folder`. Where it cannot be made, nobody sweeps the folder."""

    def __init__(self, folder: str) -> None:
        self._lock: int | None = None
        self._file: tuple[int, int] | None = None
        try:
            lock = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            self._lock, self._file = lock, _identity(lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.symlink(_owner(), os.path.join(folder, ".owner"))
        except (OSError, ValueError):
            self.close()

    def close(self) -> None:
        lock, self._lock = self._lock, None
        try:
            # A program that closes all descriptors, as a daemon does, may have another file under this number.
            if lock is not None and _identity(lock) == self._file:
                os.close(lock)
        except OSError:
            pass


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _owner() -> str:
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    started = int(fields[19])
    if not boot:
        raise ValueError("the machine says no boot id")
    return f"{os.getpid()}.{started}.{boot}.{os.readlink('/proc/self/ns/pid')}:"
