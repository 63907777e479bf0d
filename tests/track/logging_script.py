"""Scripts that log through flatout.track's recording, and what of it was kept."""

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import harness

PACKAGE = harness.ROOT / "python"
BEGIN = """
import os, signal, sys, time
from flatout.track._recording import open_recording
r = open_recording()
t = r.open_track()
r.fact("track_run", {"track": t, "source": "flatout", "id": "one", "name": "n"})
"""


def environment(home: Path, **extra) -> dict:
    return harness.environment(**{"FLATOUT_HOME": home, "FLATOUT_BIN": harness.flatout_bin(), "PYTHONPATH": PACKAGE, **extra})


def start(program: str, home: Path, prefix=(), **extra) -> subprocess.Popen:
    return subprocess.Popen([*map(str, prefix), sys.executable, "-c", BEGIN + program], env=environment(home, **extra), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(program: str, home: Path, prefix=(), **extra):
    """(exit status, stdout, stderr)."""
    process = start(program, home, prefix, **extra)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def under_flatout(*options) -> tuple:
    return (harness.flatout_bin(), "run", "--quiet", *options, "--")


def flatout(home: Path, *words) -> str:
    done = subprocess.run([harness.flatout_bin(), *map(str, words)], env=harness.environment(FLATOUT_HOME=home), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(home: Path) -> list:
    return json.loads(flatout(home, "ls", "--format", "json"))["runs"]


def ended(home: Path, seconds: float = 20.0) -> dict:
    """The one run there, once its recorder has ended."""
    until = time.monotonic() + seconds
    while True:
        runs = listed(home)
        if runs and runs[0]["state"] != "running" and not recorders(home):
            return listed(home)[0]
        assert time.monotonic() < until, runs
        time.sleep(0.05)


def recorders(home: Path) -> list:
    """Processes `flatout attach` that record into this home."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            place = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if len(words) > 1 and words[1] == b"attach" and b"FLATOUT_HOME=" + os.fsencode(home) in place:
            found.append(int(entry.name))
    return found


def values(home: Path, run: str, folder: Path) -> list:
    """Rows of values.csv: dicts with pid, name, step, value."""
    flatout(home, "export", run, "--out", folder, "--force")
    with open(folder / "values.csv", newline="") as file:
        return list(csv.DictReader(file))


def recording(home: Path, seconds: float = 20.0) -> int:
    """The pid of the one recorder, once its run is in the list."""
    until = time.monotonic() + seconds
    while not (recorders(home) and listed(home)):
        assert time.monotonic() < until
        time.sleep(0.02)
    return recorders(home)[0]
