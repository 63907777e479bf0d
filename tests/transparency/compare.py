"""Runs a program plain and under flatout and asks for the same bytes and the same end."""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"
# The profiler's library writes the time of day to stderr at its default level.
QUIET = {"KINETO_LOG_LEVEL": "9"}


def python(name, *arguments):
    return [harness.PYTHON, PROGRAMS / name, *arguments]


def both(command, folder: Path, *, env=None, stdin=b"", options=()):
    """(plain, observed): run in the same, each time empty, working folder."""
    env = harness.environment(**QUIET, **(env or {}))
    cwd = folder / "cwd"
    outcomes = []
    for observed in (False, True):
        shutil.rmtree(cwd, ignore_errors=True)
        cwd.mkdir(parents=True)
        if observed:
            run = harness.run_observed(
                command, folder / "flatout", env=env, cwd=cwd, stdin=stdin, options=options
            )
        else:
            run = harness.run_plain(command, env=env, cwd=cwd, stdin=stdin)
        outcomes.append(run)
    return outcomes


def same_lines(err: bytes) -> bytes:
    """PyTorch's loader raises a worker's error from one of two lines of the same
    function, depending on which batch was there first."""
    return re.sub(rb'(dataloader\.py", line )\d+(, in _next_data)', rb"\1N\2", err)


def assert_same(plain, observed):
    assert observed.out == plain.out
    assert same_lines(observed.err) == same_lines(plain.err)
    assert observed.code == plain.code


def steps_seen(observed):
    assert observed.report, f"no report was written; flatout said: {observed.said}"
    return (observed.report.get("steps") or {}).get("count", 0)
