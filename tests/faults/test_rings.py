"""Rings that a program cuts short, and what killed runs leave behind."""

import os
import signal
import subprocess
from pathlib import Path

import harness
import pytest
from scene import library, python, wait_until_ended


@pytest.mark.parametrize("segments", ["", "off"], ids=["segment", "file"])
def test_a_program_that_cuts_its_rings(flatout, tmp_path, segments):
    """Of a file the kernel takes the pages away: who touches them gets SIGBUS. flatout must live on. The program
    cannot be saved from what it does to a file of its own, so there it stops writing after the first cut."""
    count = 0 if segments == "off" else 10
    command = python("marked.py", library(), "cut", count)
    plain = harness.run_plain(command)
    seen = harness.run_observed(command, tmp_path, env=harness.environment(FLATOUT_RING_IPC=segments))
    assert (seen.code, seen.out) == (plain.code, plain.out) == (0, b"done\n"), seen.err
    assert seen.report is not None, "flatout ended without a report"
    if segments != "off":
        assert seen.report["steps"]["count"] == 20 + 20 * count, "a segment cannot be cut"


def segments():
    """(id, maker) of this user's shared memory segments."""
    rows = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    return {(row[1], int(row[4])) for row in rows}


def folders():
    roots = (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))
    return {f for root in roots for f in root.glob("flatout-*") if (f / ".owner").is_symlink()}


def start_and_kill(flatout, tmp_path, *options, **settings):
    """(home, the program's pid) of a run of which nobody is left."""
    home = tmp_path / "home"
    process = subprocess.Popen(
        [str(c) for c in [flatout, "run", *options, "--", *python("marked.py", library(), "forever")]],
        env=harness.environment(FLATOUT_HOME=home, **settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    program = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    return home, program


def any_command(flatout, tmp_path):
    env = harness.environment(FLATOUT_HOME=tmp_path / "another home")
    subprocess.run([flatout, "ls"], env=env, capture_output=True, timeout=60, check=True)


@pytest.mark.parametrize("kind", ["", "off"], ids=["segment", "file"])
def test_the_next_command_sweeps_what_a_killed_run_left(flatout, tmp_path, kind):
    before = folders()
    home, program = start_and_kill(flatout, tmp_path, FLATOUT_RING_IPC=kind)
    (left,) = folders() - before
    any_command(flatout, tmp_path)
    assert left.is_dir(), "the program lives and writes on: its ring is for a later reader"
    os.kill(program, signal.SIGKILL)
    wait_until_ended(program)
    made = {segment for segment in segments() if segment[1] == program}
    assert bool(made) == (kind == "")
    any_command(flatout, tmp_path)
    assert not left.exists()
    assert not made & segments()
    report = harness.report_of(home)
    assert report["run"]["state"] == "lost"
    assert report["steps"]["count"] >= 20, "what lay in the ring went into the log first"


def test_a_run_that_goes_on_is_not_swept(flatout, tmp_path):
    before = folders()
    process = subprocess.Popen(
        [str(c) for c in [flatout, "run", "--", *python("marked.py", library(), "forever")]],
        env=harness.environment(FLATOUT_HOME=tmp_path / "home"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    program = int(process.stdout.readline())
    (folder,) = folders() - before
    any_command(flatout, tmp_path)
    assert folder.is_dir() and any(folder.glob("ring.*"))
    os.kill(program, signal.SIGTERM)
    process.wait(timeout=60)
    process.stdout.close()
    assert not folder.exists()


def test_links_are_not_followed(flatout, tmp_path):
    """A folder that is named as ours and is a link, and one in which a link leads out."""
    before = folders()
    _, program = start_and_kill(flatout, tmp_path)
    os.kill(program, signal.SIGKILL)
    wait_until_ended(program)
    (left,) = folders() - before
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "kept").write_text("kept")
    os.symlink(precious, left / "ring.1.1")
    os.symlink(precious / "kept", left / "inside")
    os.symlink(os.readlink(left / ".owner"), precious / ".owner")
    (precious / ".lock").touch()
    alias = left.parent / f"flatout-{os.getuid()}-zzzz"
    os.symlink(precious, alias)
    try:
        any_command(flatout, tmp_path)
        assert (precious / "kept").read_text() == "kept"
        assert alias.is_symlink()
    finally:
        alias.unlink()
