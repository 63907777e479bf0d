"""`flatout logs --follow`: what a program writes, while it writes it, until its run ends."""

import contextlib
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import harness
import pytest
from terminals import Session

# Writes what it is handed, at once: (stream, text) a line.
PROGRAM = """
import sys
for line in open(sys.argv[1]):
    stream, text = eval(line)
    to = getattr(sys, stream)
    to.write(text)
    to.flush()
"""


class Written:
    """A recorded program, and those who follow what it writes."""

    def __init__(self, cli):
        self.cli, self.followers = cli, []
        fifo = cli.folder / "fifo"
        os.mkfifo(fifo)
        self.run = cli.start("run", "--quiet", "--no-bench", "--record-output", "--", harness.PYTHON, "-c", PROGRAM, fifo, stdout=subprocess.DEVNULL)
        self.into = open(fifo, "w", buffering=1)  # once the program reads it

    def write(self, text, stream="stdout"):
        self.into.write(repr((stream, text)) + "\n")

    def follow(self, *words):
        process = self.cli.start("logs", "--follow", *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=harness.take_default_signals)
        self.followers.append(process)
        # Nothing here waits longer than this for a line.
        killer = threading.Timer(60, process.kill)
        killer.daemon = True
        killer.start()
        return process

    def end(self):
        self.into.close()
        self.run.wait(timeout=60)


@pytest.fixture
def written(cli):
    made = Written(cli)
    yield made
    with contextlib.suppress(OSError):
        made.into.close()
    for process in (made.run, *made.followers):
        process.kill()
        process.wait()


def cpu_seconds(pid) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_while_it_writes_until_it_ends(written, flatout):
    early = written.follow()
    assert "has no output so far" in early.stderr.readline()
    written.write("one\n")
    written.write("half")
    assert early.stdout.readline() == "one\n"
    tail = written.follow("latest", "--tail", "1")
    errors = written.follow("--stream", "stderr")
    shown = Session(written.cli, "logs", "-f", columns=12)
    shown.until(rb"half")
    written.write(" and whole\n")
    for follower in (early, tail):
        assert follower.stdout.readline() == "half and whole\n"
    shown.until(rb"\r\x1b\[Khalf and whole\r\n")
    written.write("a wrong turn\n", "stderr")
    assert errors.stdout.readline() == "a wrong turn\n"

    interrupted, closed = written.follow(), written.follow()
    assert interrupted.stdout.readline() == closed.stdout.readline() == "one\n"
    interrupted.send_signal(signal.SIGINT)
    closed.stdout.close()
    assert closed.wait(timeout=30) == 0 and closed.stderr.read() == ""  # although nothing is written
    assert interrupted.wait(timeout=30) == -signal.SIGINT and interrupted.stderr.read() == ""

    written.write("the last one has no end")
    assert cpu_seconds(early.pid) < 1
    written.end()
    assert (early.stdout.read(), early.stderr.read(), early.wait(timeout=30)) == ("a wrong turn\nthe last one has no end\n", "", 0)
    assert (tail.stdout.read(), tail.wait(timeout=30)) == ("a wrong turn\nthe last one has no end\n", 0)
    assert (errors.stdout.read(), errors.wait(timeout=30)) == ("", 0)
    text, code = shown.finish()
    assert code == 0 and text.endswith(b"the last one has no end\n")
    after = written.cli("logs", "-f")
    assert (after.returncode, after.stdout) == (0, b"one\nhalf and whole\na wrong turn\nthe last one has no end\n")


def test_a_recorder_that_is_killed_ends_it(written, flatout):
    written.write("one\n")
    follower = written.follow()
    assert follower.stdout.readline() == "one\n"
    written.write("two\n")
    assert follower.stdout.readline() == "two\n"
    written.run.kill()
    assert follower.wait(timeout=30) == 0
    assert re.search(r"^flatout: run \w{4} is lost: ", follower.stderr.read())
    written.write("three\n")
    written.into.close()


def test_what_is_not_there(cli, flatout):
    for words in (["logs", "-f"], ["logs"]):
        nothing = cli(*words)
        assert nothing.returncode == 1 and b"no runs in" in nothing.stderr
    cli("run", "--quiet", "--no-bench", "--", "true")
    silent = cli("logs", "--follow")
    assert silent.returncode == 1 and silent.stdout == b"" and b"has no output" in silent.stderr
