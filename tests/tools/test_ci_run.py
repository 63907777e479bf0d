"""`.ci/run` on a made-up checkout: where it tests, what is there, what it leaves and how it ends."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MAKEFILE = """
test:
\t@pwd >> build/asked; cat kept changed new; ls ../shared; ls
\t@mkdir -p build/test-results && echo "3 passed, $(FAILED) failed" | tee build/test-results/summary.txt
\t@test $(FAILED) = 0
"""


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "some place" / "checkout"
    (folder / ".ci").mkdir(parents=True)
    (tmp_path / "some place" / "shared" / "traces").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    shutil.copy(ROOT / ".gitignore", folder / ".gitignore")
    (folder / "Makefile").write_text(MAKEFILE)
    for name in ("kept", "changed", "gone"):
        (folder / name).write_text(f"{name} 1\n")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


def run(folder, failed=0):
    # A checkout of the tests' own user: not the one that a hook of git's, or the tests' caller, may have named.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run([folder / ".ci/run"], cwd="/", env={**env, "FAILED": str(failed)}, capture_output=True, text=True, timeout=60)


def test_it_tests_the_checkout_as_it_is_in_a_folder_with_the_name_of_readme(checkout):
    (checkout / "changed").write_text("changed 2\n")
    (checkout / "gone").unlink()
    (checkout / "new").write_text("new 1\n")
    (checkout / ".venv").mkdir()
    (checkout / ".venv/python").write_text("fetched")
    done = run(checkout)
    assert done.returncode == 0, done.stderr
    (asked,) = checkout.glob("build/**/asked")
    where = Path(asked.read_text().strip())
    assert where.name == "flatout" and where != checkout
    assert " " in where.parent.name and not where.parent.name.isascii()
    assert "kept 1\nchanged 2\nnew 1\ntraces\n" in done.stdout and "gone" not in done.stdout.split()
    assert (where / ".venv/python").read_text() == "fetched"
    assert done.stdout.splitlines()[-1] == "3 passed, 0 failed"
    assert (checkout / "build/test-results/summary.txt").read_text() == "3 passed, 0 failed\n"


def test_the_next_time_it_has_what_was_built_and_the_new_commit(checkout):
    (checkout / "new").write_text("new 1\n")
    run(checkout)
    (checkout / "new").unlink()
    (checkout / "kept").write_text("kept 2\n")
    (checkout / "new").write_text("new 2\n")
    git(checkout, "commit", "--quiet", "-a", "-m", "second")
    assert "kept 2\nchanged 1\nnew 2\n" in run(checkout).stdout
    (asked,) = checkout.glob("build/**/asked")
    assert len(asked.read_text().splitlines()) == 2, "build/ is that of the first time"
    shutil.rmtree(checkout / "build")
    assert run(checkout).returncode == 0, "build/ may be deleted"


def test_the_last_line_is_the_sum_also_where_make_fails(checkout):
    (checkout / "new").write_text("")
    done = run(checkout, failed=2)
    assert done.returncode == 2 and done.stdout.splitlines()[-1] == "3 passed, 2 failed"


def test_sources_without_git_are_tested_where_they_are(checkout):
    (checkout / "new").write_text("")
    shutil.rmtree(checkout / ".git")
    (checkout / "build").mkdir()
    done = run(checkout)
    assert done.returncode == 0 and "is no checkout of git's" in done.stderr
    assert (checkout / "build/asked").read_text() == f"{checkout}\n"
    assert done.stdout.splitlines()[-1] == "3 passed, 0 failed"
