"""python -m flatout ARGUMENTS: becomes the program flatout, with the same arguments, terminal and exit status."""

from __future__ import annotations

import os
import signal
import sys

from flatout.program import ProgramMissing, find_program


def main() -> int:
    """Does not return where there is such a program."""
    try:
        program = find_program()
    except ProgramMissing as error:
        print(f"flatout: {error}", file=sys.stderr)
        return 1
    # Python ignores these from its start on, and an ignored signal would be inherited by the program that flatout runs.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execve(program, ["flatout", *sys.argv[1:]], _environment())


def _environment() -> dict[bytes, bytes]:
    """As it was given to this process: in the C locale, Python sets LC_CTYPE for itself."""
    changed = dict(os.environb)
    if changed.get(b"LC_CTYPE") == b"C.UTF-8" and b"LC_CTYPE" not in _names_at_start():
        del changed[b"LC_CTYPE"]
    return changed


def _names_at_start() -> set[bytes]:
    try:
        with open("/proc/self/environ", "rb") as file:
            return {entry.partition(b"=")[0] for entry in file.read().split(b"\0")}
    except OSError:
        return {b"LC_CTYPE"}


if __name__ == "__main__":
    sys.exit(main())
