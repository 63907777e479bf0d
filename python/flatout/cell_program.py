"""The process of a notebook's cell: its output goes to the notebook as it comes, the notebook's interrupt goes to it."""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import subprocess
import sys
import time
from typing import IO, TextIO

__all__ = ["run_cell"]

_CHUNK_BYTES = 1 << 16
_LOOK_EVERY_S = 0.5  # whether the process has ended, where its output does not say so; and so long is read on after its end
_SIGNALS = (signal.SIGINT, signal.SIGTERM)  # of the first interrupts


def run_cell(command: list[str]) -> tuple[int, bool]:
    """(exit status, negative for a signal; whether it was interrupted) of a command, whose output goes to sys.stdout and sys.stderr.

    It has no standard input. Processes that it leaves behind with its output open are not waited for. An interrupt of the notebook
    reaches it once, by us: it is in a session of its own, so that a terminal's Ctrl-C does not reach it a second time. A second interrupt
    is sent as SIGTERM, any further one kills it and its process group, which the program is in: `flatout run` alone would leave it
    behind. So does whatever else is raised here, such as an error of sys.stdout.
    """
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=_environment(), start_new_session=True)
    assert process.stdout is not None and process.stderr is not None
    output = _Output(((process.stdout, sys.stdout), (process.stderr, sys.stderr)))
    interrupts = 0
    with process.stdout, process.stderr:
        try:
            while True:
                try:
                    output.pass_on(process)
                    return process.wait(), interrupts > 0
                except KeyboardInterrupt:
                    interrupts += 1
                    if interrupts > len(_SIGNALS):
                        _kill_group(process)
                    else:
                        process.send_signal(_SIGNALS[interrupts - 1])
        except BaseException:
            _kill_group(process)
            process.wait()
            raise


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """All of its group, whose leader it is; nothing where it has ended, since what it left behind was to stay."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _environment() -> dict[str, str]:
    """The notebook's, in which its folder can be imported from, and without the kernel's own way to draw figures."""
    env = dict(os.environ)
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [os.getcwd(), env.get("PYTHONPATH", "")]))
    if env.get("MPLBACKEND", "").startswith("module://"):
        del env["MPLBACKEND"]
    return env


class _Output:
    """Pipes, each with the stream that its text goes to. pass_on() may be interrupted and called again."""

    def __init__(self, pairs: tuple[tuple[IO[bytes], TextIO], ...]) -> None:
        self._selector = selectors.DefaultSelector()
        for pipe, stream in pairs:
            decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
            self._selector.register(pipe, selectors.EVENT_READ, (decoder, stream))

    def pass_on(self, process: subprocess.Popen[bytes]) -> None:
        """Until all pipes are at their end, or the process has ended and what it wrote was read: others may hold the pipes, and write."""
        ended_s: float | None = None
        while self._selector.get_map():
            events = self._selector.select(_LOOK_EVERY_S)
            for key, _events in events:
                self._read(key)
            if process.poll() is None:
                continue
            if ended_s is None:  # once more: its last words may have come since select()
                ended_s = time.monotonic()
            elif not events or time.monotonic() - ended_s > _LOOK_EVERY_S:
                return

    def _read(self, key: selectors.SelectorKey) -> None:
        octets = os.read(key.fd, _CHUNK_BYTES)
        decoder, stream = key.data
        stream.write(decoder.decode(octets, final=not octets))
        stream.flush()
        if not octets:
            self._selector.unregister(key.fileobj)
