"""Disks that are full or may not be written: the program never notices."""

import os
import subprocess

import harness
import pytest
from scene import in_namespace, python, rings_left

ROOM = "size=64m"


def lines_of(outcome):
    """flatout's own lines, wherever they went."""
    text = outcome.err.decode() + outcome.said
    return [line for line in text.splitlines() if line.startswith("flatout")]


def observe(command, folder, *mounts, env=None):
    full = harness.environment(**(env or {}))
    prefix = in_namespace(*mounts, keep=harness.ROOT) if mounts else ()
    return harness.run_observed(command, folder, env=full, prefix=prefix)


def assert_program_ran(outcome, plain):
    assert outcome.code == plain.code == 0, outcome.err
    assert outcome.out == plain.out
    foreign = [li for li in outcome.err.splitlines() if not li.startswith(b"flatout")]
    assert foreign == []


def test_shared_memory_is_full_before_the_start(flatout, tmp_path):
    """Too small for one ring: rings lie elsewhere, and nothing is lost."""
    command = python("forks.py", 0)
    plain = harness.run_plain(command)
    outcome = observe(command, tmp_path, ("/dev/shm", "size=1m"))
    assert_program_ran(outcome, plain)
    assert outcome.report["steps"]["count"] == 40


def test_no_place_for_a_ring(flatout, tmp_path):
    """No segments, and every place is full: no hooks, one line, and the program runs."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = python("forks.py", 0)
    plain = harness.run_plain(command)
    home = tmp_path / "home"
    mounts = [("/dev/shm", "size=64k"), (folder, "size=64k")]
    env = {"TMPDIR": str(folder), "FLATOUT_HOME": str(home), "FLATOUT_RING_IPC": "off"}
    mounts.append(("/tmp", "size=64k"))  # the last resort; conftest.py keeps tmp_path out of it
    outcome = observe(command, tmp_path, *mounts, env=env)
    assert_program_ran(outcome, plain)
    assert "steps" not in outcome.report
    assert outcome.report["verdict"]["finding"] == "no_steps"
    assert any("/dev/shm" in line for line in lines_of(outcome)), lines_of(outcome)


def test_segments_need_no_disk(flatout, tmp_path):
    """Every place is full, and every step is kept."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = python("forks.py", 0)
    mounts = [("/dev/shm", "size=64k"), (folder, "size=64k"), ("/tmp", "size=64k")]
    env = {"TMPDIR": str(folder), "FLATOUT_HOME": str(tmp_path / "home")}
    outcome = observe(command, tmp_path, *mounts, env=env)
    assert_program_ran(outcome, harness.run_plain(command))
    assert outcome.report["steps"]["count"] == 40


@pytest.mark.parametrize("segments", ["", "off"], ids=["segment", "file"])
def test_shared_memory_fills_while_the_ring_is_mapped(flatout, tmp_path, segments):
    """The ring was allocated before: no SIGBUS, and every step is kept."""
    command = python("fills.py", "/dev/shm", 200)
    mounts = [("/dev/shm", ROOM), ("/tmp", "size=32m")]
    prefix = in_namespace(*mounts, keep=harness.ROOT)
    plain = harness.run_plain([*prefix, *command])
    assert b"full: No space left" in plain.out
    env = {"FLATOUT_RING_IPC": segments, "TMPDIR": "/dev/shm"}
    outcome = observe(command, tmp_path, *mounts, env=env)
    assert_program_ran(outcome, plain)
    assert outcome.report["steps"]["count"] == 200


def test_home_fills_while_it_records(flatout, tmp_path):
    home = tmp_path / "small"
    home.mkdir()
    command = python("fills.py", home, 200)
    plain = harness.run_plain([*in_namespace((home, ROOM)), *command])
    outcome = observe(command, tmp_path, (home, ROOM), env={"FLATOUT_HOME": str(home)})
    assert_program_ran(outcome, plain)
    assert any("of 200 steps" in line for line in lines_of(outcome)), lines_of(outcome)


def test_home_is_full_before_the_start(flatout, tmp_path):
    home = tmp_path / "small"
    home.mkdir()
    command = python("forks.py", 0)
    plain = harness.run_plain(command)
    outcome = observe(
        command, tmp_path, (home, "size=4k,nr_inodes=2"), env={"FLATOUT_HOME": str(home)}
    )
    assert_program_ran(outcome, plain)
    assert any(str(home) in line for line in lines_of(outcome)), lines_of(outcome)


def test_home_is_read_only(flatout, tmp_path):
    home = tmp_path / "sealed"
    home.mkdir()
    command = python("forks.py", 0)
    plain = harness.run_plain(command)
    outcome = observe(command, tmp_path, (home, "ro"), env={"FLATOUT_HOME": str(home)})
    assert_program_ran(outcome, plain)
    assert any(str(home) in line for line in lines_of(outcome)), lines_of(outcome)


def test_home_cannot_exist(flatout, tmp_path):
    """Below a file: needs no mount, so it runs for every user."""
    (tmp_path / "file").write_text("in the way")
    home = tmp_path / "file/home"
    command = python("forks.py", 0)
    plain = harness.run_plain(command)
    outcome = observe(command, tmp_path, env={"FLATOUT_HOME": str(home)})
    assert_program_ran(outcome, plain)
    assert any(str(home) in line for line in lines_of(outcome)), lines_of(outcome)
    assert rings_left(outcome) == []


def test_a_home_that_cannot_be_written_is_replaced_by_one_that_is_named(flatout, tmp_path):
    (tmp_path / "file").write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {"FLATOUT_HOME": str(tmp_path / "file/home"), "TMPDIR": str(temporary)}
    outcome = observe(python("forks.py", 0), tmp_path, env=env)
    other = temporary / f"flatout-home-{os.getuid()}"
    assert any(f"--home {other}" in line for line in lines_of(outcome)), lines_of(outcome)
    # What is printed to be typed finds the run.
    said = outcome.err.decode() + outcome.said
    typed = said.partition("Full report: ")[2].replace("\\\n", " ").split()
    assert typed[:2] == ["flatout", "report"] and typed[-2:] == ["--home", str(other)], said
    assert harness.report_of(other)["steps"]["count"] == 40
    assert other.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("verb", ["tune", "search"])
def test_trials_go_to_another_home_where_theirs_cannot_be_written(flatout, tmp_path, verb):
    """A program without steps: the first trial is stored and named, and then it ends."""
    (tmp_path / "file").write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "space.toml").write_text('[search]\ntrials = 2\n[arguments]\n"--x" = {values = [1, 2]}\n')
    space = [tmp_path / "space.toml"] if verb == "search" else []
    done = subprocess.run([str(word) for word in (harness.flatout_bin(), verb, *space, "--", "true")], cwd=tmp_path, capture_output=True,
                          text=True, env=harness.environment(FLATOUT_HOME=tmp_path / "file/home", TMPDIR=temporary))
    other = temporary / f"flatout-home-{os.getuid()}"
    assert done.returncode == 1 and f"--home {other}" in done.stderr and f"{tmp_path}/file/home" in done.stderr, done.stderr
    assert any((other / "runs").iterdir())


def test_no_place_at_all_is_admitted(flatout, tmp_path):
    (tmp_path / "file").write_text("in the way")
    env = {"FLATOUT_HOME": str(tmp_path / "file/home"), "TMPDIR": str(tmp_path / "file")}
    outcome = observe(python("forks.py", 0), tmp_path, env=env)
    assert outcome.report["steps"]["count"] == 40
    assert any("none of its 40 steps is kept" in line for line in lines_of(outcome)), lines_of(outcome)
    assert "Full report" not in outcome.said + outcome.err.decode()
