"""head_start.py compiles beside a suite, and nothing of it runs once the suite has ended."""

import importlib.util
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("head_start", ROOT / "tools" / "head_start.py")
head_start = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(head_start)


@pytest.fixture
def began(tmp_path, monkeypatch):
    """Waits for the ninja of a folder to begin. It names its folder in a FIFO, and goes on for ever unless that is called `short`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("short", "long"):
        os.mkfifo(tmp_path / f"{name}.began")
    for name, text in (
        ("chrt", 'test "$1 $2" = "--idle 0" || exit 9\nshift 2\nexec "$@"\n'),
        ("ninja", 'echo "$@"\necho "$2" > "$2.began"\ncase "$2" in */short) exit 1;; esac\nexec sleep 600\n'),
    ):
        (programs / name).write_text("#!/bin/sh\n" + text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return lambda folder: folder.with_name(f"{folder.name}.began").read_text() == f"{folder}\n"


def test_folders_are_compiled_in_turn_and_the_one_in_work_is_ended(tmp_path, began):
    folders = [tmp_path / "short", tmp_path / "long", tmp_path / "never"]
    with head_start.HeadStart(folders, tmp_path / "logs") as beside:
        assert began(folders[0])  # one that does not compile stops nothing
        assert began(folders[1])
    assert beside.running.returncode == -15 and not beside.thread.is_alive()
    assert (tmp_path / "logs/head-start-long.txt").read_text().split()[:2] == ["-C", str(folders[1])]
    assert not (tmp_path / "logs/head-start-never.txt").exists() or not (tmp_path / "logs/head-start-never.txt").read_text()


def test_it_ends_where_the_suite_raises(tmp_path, began):
    with pytest.raises(ZeroDivisionError), head_start.HeadStart([tmp_path / "long"], tmp_path / "logs") as beside:
        assert began(tmp_path / "long")
        raise ZeroDivisionError
    assert beside.running.returncode == -15


def test_without_folders_or_without_ninja_nothing_happens(tmp_path, began, monkeypatch):
    with head_start.HeadStart([], tmp_path / "logs") as beside:
        pass
    assert beside.running is None
    monkeypatch.setenv("PATH", str(tmp_path))
    with head_start.HeadStart([tmp_path / "long"], tmp_path / "logs") as beside:
        pass
    assert beside.running is None and not (tmp_path / "logs").exists()
