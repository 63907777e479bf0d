"""A program in a pseudo-terminal, and what its screen shows."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

import harness


class Terminal:
    """`flatout top` as a user has it: keys in, a screen out."""

    def __init__(self, words, columns=80, rows=24, **environment):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        env = harness.environment(TERM="xterm-256color", LC_ALL="C.UTF-8", **environment)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            harness.take_default_signals()
            os.execve(harness.flatout_bin(), ["flatout", *map(str, words)], env)
        self.resize(columns, rows)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.fd, keys if isinstance(keys, bytes) else keys.encode())

    def read(self, seconds):
        """What came within that time, onto the screen; False where the program is gone."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return True
            try:
                bytes_ = os.read(self.fd, 65536)
            except OSError:  # the other end was closed
                return False
            self.raw += bytes_
            self.stream.feed(bytes_)
        return True

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted, seconds=20):
        """Waits until `wanted`, a text or a function of the screen's, shows."""
        meets = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + seconds
        while not meets(self.text()):
            alive = self.read(0.1)
            assert time.monotonic() < deadline and (alive or meets(self.text())), self.text()
        return self.text()

    def end(self, seconds=20):
        """The status that it ends with."""
        deadline = time.monotonic() + seconds
        while True:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.status = os.waitstatus_to_exitcode(status)
                self.read(0.1)
                return self.status
            assert time.monotonic() < deadline, self.text()
