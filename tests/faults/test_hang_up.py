"""A terminal that closes: SIGHUP reaches the program as it does without flatout, once."""

import fcntl
import os
import pty
import shlex
import signal
import subprocess
import termios

import harness
import pytest
from scene import has_ended, library, python

def leader_itself(command):
    """What tmux, screen and `ssh host command` make of it: it leads the terminal's session."""
    return command


def below_a_shell(command):
    """The shell leads the session and waits; the command is in its group."""
    return ["sh", "-c", f"{shlex.join(map(str, command))}; exit 0"]


def below_job_control(command):
    """The command has a group of its own, in the foreground."""
    return ["bash", "--norc", "-mc", f"{shlex.join(map(str, command))}; exit 0"]


def in_the_background(command):
    return ["bash", "--norc", "-mc", f"{shlex.join(map(str, command))} & wait; exit 0"]


def by_nohup(command):
    return ["nohup", *command]


def in_a_session_of_its_own(command):
    return ["setsid", "--wait", *command]


def after_hang_up(flatout, folder, shape, how, observed):
    """(SIGHUPs that came, whether the program lives on, how what the terminal started ended)."""
    folder.mkdir()
    said = folder / "said"
    command = python("marked.py", library(), "hang-up", how, said)
    if observed:
        command = [flatout, "run", "--report-to", folder / "report", "--", *command]
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(c) for c in shape(command)],
        env=harness.environment(FLATOUT_HOME=folder / "home"),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    program = None
    try:
        harness.wait_for(lambda: said.exists() and b"\n" in said.read_bytes(), why="the program does not begin")
        program = int(said.read_text().split()[0])
        os.close(master)  # the terminal is gone
        ignored = shape is by_nohup and how == "default"
        if not ignored and shape not in (in_the_background, in_a_session_of_its_own):
            harness.wait_for(lambda: has_ended(program), why="the program runs on without its terminal")
        if not ignored:
            harness.wait_for(lambda: process.poll() is not None, why="what the terminal started does not end")
        ended = has_ended(program)
        return said.read_text().count("hup\n"), ended, process.poll()
    finally:
        for pid in (program, process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, TypeError):
                pass
        process.wait()


SHAPES = [leader_itself, below_a_shell, below_job_control, in_the_background, by_nohup, in_a_session_of_its_own]


@pytest.mark.parametrize("how", ["default", "handle"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_session_ends_as_without_flatout(flatout, tmp_path, shape, how):
    plain = after_hang_up(flatout, tmp_path / "plain", shape, how, observed=False)
    seen = after_hang_up(flatout, tmp_path / "seen", shape, how, observed=True)
    assert seen == plain


def test_a_stopped_program_meets_its_end(flatout, tmp_path):
    """The kernel wakes the leader that it hangs up; the program is one that somebody stopped."""
    said = tmp_path / "said"
    command = [flatout, "run", "--report-to", tmp_path / "report", "--", *python("marked.py", library(), "hang-up", "default", said)]
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [str(c) for c in command],
        env=harness.environment(FLATOUT_HOME=tmp_path / "home"),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    harness.wait_for(lambda: said.exists() and b"\n" in said.read_bytes(), why="the program does not begin")
    program = int(said.read_text().split()[0])
    os.kill(program, signal.SIGSTOP)
    os.close(master)
    harness.wait_for(lambda: has_ended(program), why="the program stays stopped")
    assert process.wait(timeout=20) == -signal.SIGHUP
