"""A clock that somebody shifts (libfaketime and its like) costs no recording, and makes none of 1970."""

import datetime
import shutil
import subprocess
import time

import harness
import pytest

from scene import PROGRAMS, library, python

YEAR_S = 365 * 24 * 3600
STEPS = 50


@pytest.fixture(scope="module")
def preload(tmp_path_factory):
    """A library that shifts clocks."""
    library = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, PROGRAMS / "shifted_clock.c"], check=True, timeout=60)
    return library


def shifted(preload, **how):
    return {"LD_PRELOAD": str(preload), **{f"SHIFT_{name.upper()}": str(value) for name, value in how.items()}}


def stepping():
    """A program that does so many steps in a moment, and ends with status 7."""
    return python("marked.py", library(), "steps", STEPS - 20)


def run(folder, command, env):
    done = subprocess.run([str(harness.flatout_bin()), "run", "--no-bench", "--", *map(str, command)], env=harness.environment(FLATOUT_HOME=folder / "home", **env),
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 7, done.stderr
    assert "''" not in done.stderr, done.stderr
    return done


def kept(folder):
    """Its one run: finished, with all steps, begun when it was by the clock that flatout has."""
    (row,) = harness.runs(folder / "home")
    report = harness.report_of(folder / "home")
    return row, report


def begun(folder):
    """When it began, in seconds since 1970."""
    (row,) = harness.runs(folder / "home")
    return datetime.datetime.fromisoformat(row["started"].replace("Z", "+00:00")).timestamp()


AROUND = [{"s": -YEAR_S}, {"s": 10 * YEAR_S}, {"s": -10 * YEAR_S}, {"speed": 2}, {"s": -YEAR_S, "speed": 3}, {"s": 1_700_000_000}]


@pytest.mark.parametrize("how", AROUND, ids=str)
def test_around_flatout(tmp_path, preload, how):
    run(tmp_path, stepping(), shifted(preload, **how))
    row, report = kept(tmp_path)
    assert row["state"] == "failed", row
    assert report["steps"]["count"] == STEPS, report["steps"]
    # Its date is that of the user's other programs.
    assert abs(begun(tmp_path) - (time.time() + how.get("s", 0))) < 1000


@pytest.mark.parametrize("how", AROUND, ids=str)
def test_around_the_program_alone(tmp_path, preload, how):
    run(tmp_path, ["env", *(f"{name}={value}" for name, value in shifted(preload, **how).items()), *stepping()], {})
    row, report = kept(tmp_path)
    assert row["state"] == "failed" and report["steps"]["count"] == STEPS, (row, report["steps"])
    # They lie within the run, by the clock of both.
    assert row["duration_s"] < 100, row


def test_a_date_that_cannot_be_is_said(tmp_path, preload):
    done = run(tmp_path, stepping(), shifted(preload, s=200 * YEAR_S))
    assert "this run is not kept: the clock says that it began" in done.stderr and "LD_PRELOAD" in done.stderr
    assert "1970-01-01" not in done.stderr
    assert not harness.runs(tmp_path / "home")


@pytest.mark.skipif(shutil.which("faketime") is None, reason="libfaketime is not installed")
@pytest.mark.parametrize("where", ["around", "program"])
@pytest.mark.parametrize("how", ["-1y", "+10y", "+0 x2", "@2020-01-01 00:00:00"])
def test_under_libfaketime(tmp_path, how, where):
    faked = ["faketime", "-f", how]
    whole = [*faked, harness.flatout_bin(), "run", "--no-bench", "--", *stepping()] if where == "around" else \
        [harness.flatout_bin(), "run", "--no-bench", "--", *faked, *stepping()]
    done = subprocess.run([str(word) for word in whole], env=harness.environment(FLATOUT_HOME=tmp_path / "home"), capture_output=True, text=True, timeout=120)
    assert done.returncode == 7 and "''" not in done.stderr, done.stderr
    row, report = kept(tmp_path)
    assert row["state"] == "failed" and report["steps"]["count"] == STEPS, (row, report["steps"])
