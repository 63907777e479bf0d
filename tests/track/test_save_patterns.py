"""Patterns of run.save(): what glob finds, and an end where links to folders lead back."""

import glob
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout.track import _run_files
from flatout.track._run_files import globbed

FILES = ("a.txt", "b/c.txt", "b/.hidden.txt", "b/d/e.txt", ".f/g.txt", "b/d/[h].txt", "i/b/j.log")
PATTERNS = ("*.txt", "**", "**/*.txt", "b/**", "b/**/*.txt", "**/d/*", "**/b/**", "*/**/e.txt", "b/d/[[]h].txt", "**/.hidden.txt", "none/**", "b/c.txt")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(found):
    return sorted({os.path.normpath(path) for path in found if os.path.isfile(path)})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_files_that_glob_finds(tree, pattern):
    for asked in (pattern, "./" + pattern, str(tree / pattern)):
        assert files(globbed(asked)) == files(glob.glob(asked, recursive=True)), asked


def test_links_that_lead_back_have_an_end(tree):
    for name in ("one", "two"):
        (tree / "b" / name).symlink_to(".")
    (tree / "b" / "out").symlink_to(tree.parent)
    assert files(globbed("b/**")) == ["b/c.txt", "b/d/[h].txt", "b/d/e.txt"]


@pytest.mark.parametrize("bound, pattern, words", [("_MOST_FOUND", "*.txt", "2 files, of which the first 1"), ("_MOST_FOUND", "**", "of which the first 1"),
                                                   ("_MOST_VISITED", "**", "only the first 1 files below it")])  # fmt: skip
def test_what_is_left_out_is_said(tree, monkeypatch, bound, pattern, words):
    (tree / "z.txt").touch()
    said = []
    monkeypatch.setattr(_run_files, bound, 1)
    monkeypatch.setattr(_run_files, "say_once", lambda text, _key: said.append(text))
    globbed(pattern)
    assert len(said) == 1 and words in said[0] and pattern in said[0], said
