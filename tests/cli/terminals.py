"""A program on a terminal of its own: what it shows, in columns and lines that the test sets."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import harness

TITLE = re.compile(rb"\x1b\](?:[^\x07\x1b])*\x07|\x1b\[2[23];2t")
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


class Session:
    """flatout, typed at a terminal of `columns` columns."""

    def __init__(self, cli, *args, columns=80, env=None, stdout=None, stderr=None, program=None):
        self.master, slave = pty.openpty()
        self.resize(columns)
        self.seen = b""
        environment = cli.env()
        for name in ("LC_ALL", "LC_CTYPE", "COLUMNS", "NO_COLOR"):
            environment.pop(name, None)
        environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | (env or {})

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([str(program or harness.flatout_bin()), *map(str, args)], stdin=slave, stdout=stdout or slave, stderr=stderr or slave,
                                        env=environment, cwd=cli.folder, preexec_fn=own_terminal)
        os.close(slave)

    def resize(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys)

    def read(self, seconds=0.1):
        """False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.seen += piece
        return bool(piece)

    def until(self, pattern, timeout=60):
        end = time.monotonic() + timeout
        while not re.search(pattern, self.seen):
            assert time.monotonic() < end, self.seen
            if not self.read():
                assert re.search(pattern, self.seen), self.seen
        return self.seen

    def finish(self, timeout=120):
        """What was shown, with line ends as programs write them, and the exit status."""
        end = time.monotonic() + timeout
        while self.read():
            if time.monotonic() > end:
                os.killpg(self.process.pid, signal.SIGKILL)
                raise AssertionError(self.seen)
        code = self.process.wait(timeout=30)
        os.close(self.master)
        return self.seen.replace(b"\r\n", b"\n"), code


def shown(cli, *args, **how):
    return Session(cli, *args, **how).finish()


def plain(text):
    return COLOUR.sub(b"", TITLE.sub(b"", text))
