"""Signals and the terminal: nothing arrives twice, nothing is lost."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import harness
import pytest
from compare import PROGRAMS


def start(flatout, folder, program, arguments, observed, **popen):
    folder.mkdir(parents=True, exist_ok=True)
    command = [harness.PYTHON, PROGRAMS / program, *arguments]
    if observed:
        command = [flatout, "run", "--report-to", folder / "said.txt", "--", *command]
    env = harness.environment(FLATOUT_HOME=folder / "home")
    return subprocess.Popen([str(c) for c in command], env=env, **popen)


def signalled(flatout, folder, number, observed, to_group, handled, *how):
    """(counts line, exit code) after one signal, to the process or to its group."""
    names = ",".join(handled) or "SIGUSR2"
    process = start(
        flatout,
        folder,
        "signals.py",
        [names, "20", *how],
        observed,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        (os.killpg if to_group else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=40)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return out, err, process.returncode


@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGQUIT"])
def test_handled_signal_arrives_once(flatout, tmp_path, name, to_group):
    number = getattr(signal, name)
    plain = signalled(flatout, tmp_path, number, False, to_group, [name], "soon")
    assert plain == (f"[('{name}', 1)]\n".encode(), b"", 5)
    observed = signalled(flatout, tmp_path, number, True, to_group, [name], "soon")
    assert observed == plain


@pytest.mark.parametrize("to_group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_default_action_ends_both_alike(flatout, tmp_path, name, to_group):
    number = getattr(signal, name)
    plain = signalled(flatout, tmp_path, number, False, to_group, [], "late")
    observed = signalled(flatout, tmp_path, number, True, to_group, [], "late")
    if name == "SIGINT":  # the traceback names whichever call the signal found
        assert b"KeyboardInterrupt" in plain[1] and b"KeyboardInterrupt" in observed[1]
        assert observed[1].count(b"Traceback") == plain[1].count(b"Traceback")
    else:
        assert observed[1] == plain[1]
    assert observed[2] == plain[2] == -number


def in_terminal(flatout, folder, observed):
    """All that a terminal shows of the program, and how it ended after Ctrl-C."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))

    def own_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = start(
        flatout,
        folder,
        "terminal.py",
        [],
        observed,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=own_terminal,
    )
    os.close(slave)
    shown, typed = b"", [(b"foreground", b"a line\n"), (b"read 'a line", b"\x03")]
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            shown += os.read(master, 65536)
        except OSError:  # the last one closed the terminal
            break
        if typed and typed[0][0] in shown:
            time.sleep(0.3)  # the program is in its read, or in its sleep
            os.write(master, typed.pop(0)[1])
    os.close(master)
    if process.poll() is None:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    return shown, process.wait()


def test_terminal_and_ctrl_c(flatout, tmp_path):
    plain = in_terminal(flatout, tmp_path, False)
    observed = in_terminal(flatout, tmp_path, True)
    assert b"[True, True, True]" in plain[0] and b"columns=97" in plain[0]
    assert b"foreground True True" in plain[0]
    assert b"KeyboardInterrupt" in plain[0]
    assert observed == plain
    assert "flatout" in (tmp_path / "said.txt").read_text()


def test_ctrl_c_prints_the_report(flatout, tmp_path):
    end = signalled(flatout, tmp_path, signal.SIGINT, True, True, [], "late", "train")
    assert end[2] == -signal.SIGINT
    assert "3 steps" in (tmp_path / "said.txt").read_text()
