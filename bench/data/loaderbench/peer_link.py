"""The parent's end of a peer's process: start it, order, pause it while others are measured, watch its memory, end it."""

import contextlib
import json
import os
import pathlib
import selectors
import signal
import subprocess
import threading
import time

from . import process_tree

PACKAGE_PARENT = pathlib.Path(__file__).resolve().parents[1]
LIMIT_S = 300  # of one order
PSS_EVERY_S = 0.1


class PeerFailed(Exception):
    """The peer said so, died, or took too long; the text is for the page."""


class PeerLink:
    """One process in a session of its own. Not for several threads."""

    def __init__(self, name, python, log, affinity, module_path=()):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE_PARENT), *map(str, module_path)]),
                       "PYTHONUNBUFFERED": "1"}
        self.name, self.began_ns = name, time.monotonic_ns()
        self.process = subprocess.Popen(
            ["taskset", "--cpu-list", ",".join(map(str, sorted(affinity))), python, "-m", "loaderbench.peer_process", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, start_new_session=True)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.unread = b""

    def ask(self, do, limit_s=LIMIT_S, **order):
        """The peer's answer to one order."""
        try:
            self.process.stdin.write(json.dumps({"do": do, **order}).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise PeerFailed(f"{do}: the process is gone, {self._ending()}") from None
        answer = json.loads(self._line(do, time.monotonic() + limit_s))
        if "error" in answer:
            raise PeerFailed(f"{do}: {answer['error']}")
        return answer

    def _line(self, do, deadline):
        while b"\n" not in self.unread:
            left = deadline - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                raise PeerFailed(f"{do}: no answer in time")
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                raise PeerFailed(f"{do}: the process died, {self._ending()}")
            self.unread += part
        line, _, self.unread = self.unread.partition(b"\n")
        return line

    def _ending(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        return f"exit status {self.process.returncode}"

    def pause(self):
        """Stops it and all below it, so that nothing is prepared while others are measured."""
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def _signal(self, number):
        for pid in process_tree.tree(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def end(self):
        """Lets it end, then makes it."""
        self.go_on()
        below = process_tree.tree(self.process.pid)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                if os.getsid(pid) == self.process.pid:  # of our session: never a pid that was given to another program since
                    os.kill(pid, signal.SIGKILL)
        self.process.wait()


class PeakMemory:
    """A context in which the peak of a tree's PSS is watched; costs a millisecond or more a reading, so not for measured epochs."""

    def __init__(self, pid, read=process_tree.pss_bytes, every_s=PSS_EVERY_S):
        self.pid, self.read, self.every_s = pid, read, every_s
        self.peak_bytes = self.peak_file_bytes = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def sample(self):
        total, of_files = self.read(self.pid)
        if total > self.peak_bytes:
            self.peak_bytes, self.peak_file_bytes = total, of_files

    def _watch(self):
        while not self.over.wait(self.every_s):
            self.sample()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.sample()
