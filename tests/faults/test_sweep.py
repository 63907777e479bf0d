"""What a killed tune or search left in the temporary folders goes with the next command."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import harness
import pytest
from scene import command_line, wait_until_ended

SPACE = '[search]\ntrials = 2\n[arguments]\n"--x" = {values = [1, 2]}\n'


def any_command(tmp_path, temporary):
    env = harness.environment(FLATOUT_HOME=tmp_path / "another home", TMPDIR=temporary)
    subprocess.run([harness.flatout_bin(), "ls"], env=env, capture_output=True, timeout=60, check=True)


@pytest.mark.parametrize(("verb", "prefix"), [("tune", "flatout-tune-"), ("search", "flatout-trials-")])
def test_the_next_command_sweeps_the_folders_of_trials(flatout, tmp_path, verb, prefix):
    temporary, folder = tmp_path / "temporary", tmp_path / "work"
    temporary.mkdir()
    folder.mkdir()
    (folder / "space.toml").write_text(SPACE)
    precious = tmp_path / "precious"
    precious.mkdir()
    (temporary / f"{prefix}others").symlink_to(precious)
    space = ["space.toml"] if verb == "search" else []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        program = f"echo $$ > /dev/tcp/127.0.0.1/{server.getsockname()[1]}; exec sleep 600"
        command = [harness.flatout_bin(), verb, *space, "--", "bash", "-c", program]
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=harness.environment(FLATOUT_HOME=tmp_path / "home", TMPDIR=temporary))
        running = server.accept()[0]
        trial = int(running.makefile().readline())
    left = [path for path in temporary.glob(f"{prefix}*") if not path.is_symlink()]
    assert len(left) == 1, list(temporary.iterdir())
    any_command(tmp_path, temporary)
    assert left[0].is_dir(), "its owner lives"
    process.kill()
    process.wait(timeout=60)
    if b"sleep" in command_line(trial):
        os.kill(trial, signal.SIGKILL)
        wait_until_ended(trial)
    # What flatout forked to watch over its end holds the lock until it has seen it.
    deadline = time.monotonic() + 30
    while left[0].exists() and time.monotonic() < deadline:
        any_command(tmp_path, temporary)
    assert not left[0].exists()
    assert precious.is_dir() and (temporary / f"{prefix}others").is_symlink()


def mark_as_of_the_dead(folder):
    """The mark of a process on this machine that has ended."""
    process = subprocess.Popen(["sleep", "600"])
    ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    process.kill()
    process.wait(timeout=60)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    (folder / ".owner").symlink_to(f"{process.pid}.{ticks}.{boot}.{os.readlink('/proc/self/ns/pid')}:")
    (folder / ".lock").touch(mode=0o600)


def test_a_folder_that_is_still_written_to_is_swept_once_it_is_not(flatout, tmp_path):
    temporary = tmp_path / "temporary"
    left = temporary / "flatout-trials-left"
    left.mkdir(parents=True)
    mark_as_of_the_dead(left)
    for number in range(2000):  # so that removing them takes longer than the writer waits for a CPU
        (left / f"old.{number}").touch()
    # A trial that its searcher left alone, at its worst: whatever is removed is there again.
    program = f"i=0; while :; do : > {left}/result.$i; i=$(((i + 1) % 50)); done"
    writer = subprocess.Popen(["sh", "-c", program], stderr=subprocess.DEVNULL)
    try:
        for _ in range(5):
            any_command(tmp_path, temporary)
    finally:
        writer.kill()
        writer.wait(timeout=60)
    any_command(tmp_path, temporary)
    assert not left.exists()


KILLED = """
import os, sys, time
import flatout.track as track
artifact = track.Artifact("a", "t")
artifact.add_file(__file__)
with artifact.new_file("deep/x.txt") as file:
    file.write("x")
os.symlink(sys.argv[1], os.path.join(os.path.dirname(file.name), "link"))
print("staged", flush=True)
time.sleep(600)
"""


def test_the_next_command_sweeps_what_a_killed_script_had_staged_for_its_artifacts(flatout, tmp_path):
    temporary, precious = tmp_path / "temporary", tmp_path / "precious"
    temporary.mkdir()
    precious.mkdir()
    (precious / "file").write_text("precious")
    (temporary / "flatout-artifact-others").symlink_to(precious)
    (temporary / "flatout-artifact-unmarked").mkdir()
    (tmp_path / "script.py").write_text(KILLED)
    env = harness.environment(TMPDIR=temporary, PYTHONPATH=harness.ROOT / "python")
    process = subprocess.Popen([sys.executable, tmp_path / "script.py", precious], env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "staged\n"
    (left,) = [path for path in temporary.iterdir() if (path / ".lock").exists()]
    any_command(tmp_path, temporary)
    assert left.is_dir(), "its owner lives"
    process.kill()
    process.wait(timeout=60)
    process.stdout.close()
    any_command(tmp_path, temporary)
    assert sorted(path.name for path in temporary.iterdir()) == ["flatout-artifact-others", "flatout-artifact-unmarked"]
    assert (precious / "file").read_text() == "precious"


def test_a_script_that_is_killed_under_flatout_run_leaves_nothing_staged(flatout, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "script.py").write_text(KILLED.replace("time.sleep(600)", "os.kill(os.getpid(), 9)"))
    env = harness.environment(TMPDIR=temporary, PYTHONPATH=harness.ROOT / "python", FLATOUT_HOME=tmp_path / "home")
    done = subprocess.run([flatout, "run", "--no-bench", "--", sys.executable, tmp_path / "script.py", tmp_path], env=env, capture_output=True, timeout=120)
    assert done.returncode in (-9, 137) and b"staged" in done.stdout, done.stderr
    assert list(temporary.iterdir()) == []
