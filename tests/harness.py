"""Run a command plain or under `flatout run`, for the tests and benchmarks.

The binary under test is $FLATOUT_BIN, by default build/release/bin/flatout. A
missing binary is an error and never a skip: a suite that skips itself proves
nothing.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def take_default_signals() -> None:
    """A shell's background job inherits an ignored SIGINT, and what nohup started an
    ignored SIGHUP: the programs under test must be able to die of both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def flatout_bin() -> Path:
    binary = Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
    if not binary.is_file():
        raise FileNotFoundError(f"{binary} is not there: run `make build`, or set FLATOUT_BIN")
    return binary.absolute()


@dataclass
class Outcome:
    code: int  # as subprocess says it: negative = died by that signal
    out: bytes
    err: bytes
    said: str = ""  # flatout's own closing text (--report-to)
    report: dict | None = None  # --json


def environment(**extra) -> dict:
    """The caller's environment, less what flatout would find of its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("FLATOUT_")}
    env.update({k: str(v) for k, v in extra.items()})
    return env


def run_plain(command, *, env=None, cwd=None, stdin=b"", timeout=180) -> Outcome:
    done = subprocess.run(
        [str(c) for c in command],
        env=env or environment(),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=timeout,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_observed(
    command, folder: Path, *, env=None, cwd=None, stdin=b"", options=(), timeout=180, prefix=()
) -> Outcome:
    """Under `flatout run`, with home and report inside `folder`, so that the
    child's stderr comes back unmixed. `prefix`: a command that execs flatout."""
    folder.mkdir(parents=True, exist_ok=True)
    said, report = folder / "said.txt", folder / "report.json"
    for old in (said, report):
        old.unlink(missing_ok=True)
    full = dict(env or environment())
    full.setdefault("FLATOUT_HOME", str(folder / "home"))
    outcome = run_plain(
        [*prefix, flatout_bin(), "run", "--json", report, "--report-to", said, *options, "--", *command],
        env=full,
        cwd=cwd,
        stdin=stdin,
        timeout=timeout,
    )
    outcome.said = said.read_text() if said.exists() else ""
    outcome.report = json.loads(report.read_text()) if report.exists() else None
    return outcome


def report_of(home: Path, run: str = "latest", timeout=60) -> dict:
    """`flatout report RUN --format json`; an error is raised with its text."""
    done = subprocess.run(
        [flatout_bin(), "report", run, "--format", "json"],
        env=environment(FLATOUT_HOME=home),
        capture_output=True,
        timeout=timeout,
    )
    if done.returncode != 0:
        raise RuntimeError(f"flatout report {run}: exit {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def runs(home: Path, timeout=60) -> list:
    """`flatout ls --format json`."""
    done = subprocess.run(
        [flatout_bin(), "ls", "--format", "json"], env=environment(FLATOUT_HOME=home), capture_output=True, timeout=timeout, check=True
    )
    return json.loads(done.stdout)["runs"]


def wait_for(what, seconds: float = 20, why: str = "", pause_s: float = 0.02):
    """The first value of `what()` that is true; fails with `why` when none is in time."""
    end = time.monotonic() + seconds
    while not (value := what()):
        assert time.monotonic() < end, why or f"{what} stayed false for {seconds} s"
        time.sleep(pause_s)
    return value


PYTHON = sys.executable
