"""Which files a name of shards() and tokens() stands for."""

import pathlib

import pytest

from flatout.data_files import named_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("s{x}.tar", "sx.tar", "t{0..1}.tar", "t0.tar", "t1.tar", "w[1].tar", "w1.tar", "w2.tar"):
        (tmp_path / name).touch()
    return tmp_path


PATTERNS = [
    ("a-{08..10}.tar", ["a-08.tar", "a-09.tar", "a-10.tar"]),
    ("a-{1..0}.tar", ["a-1.tar", "a-0.tar"]),
    ("a-{x,y}-{0..1}.tar", ["a-x-0.tar", "a-x-1.tar", "a-y-0.tar", "a-y-1.tar"]),
    ("a-{x}.tar", ["a-{x}.tar"]),
    ("a-{}.tar", ["a-{}.tar"]),
    ("a-{x}-{0..1}.tar", ["a-{x}-0.tar", "a-{x}-1.tar"]),
    ("s{x}.tar", ["s{x}.tar"]),
    ("t{0..1}.tar", ["t{0..1}.tar"]),
    (["s{x}.tar", "t{0..1}.tar"], ["s{x}.tar", "t{0..1}.tar"]),
    (pathlib.Path("u{0..1}.tar"), ["u0.tar", "u1.tar"]),
    ([pathlib.Path("s{x}.tar")], ["s{x}.tar"]),
    (["u{0..1}.tar"], ["u0.tar", "u1.tar"]),
    ("w[1].tar", ["w[1].tar"]),
    ("w[12].tar", ["w1.tar", "w2.tar"]),
    ("t?.tar", ["t0.tar", "t1.tar"]),
]


@pytest.mark.parametrize("given, paths", PATTERNS, ids=[str(given) for given, _ in PATTERNS])
def test_a_name_stands_for(folder, given, paths):
    assert named_files(given, "shards", "pattern") == paths


@pytest.mark.parametrize("pattern", ["{0..99999999999}.tar", "{1.." + "9" * 5000 + "}.tar", "{0..999}-{0..999}.tar", "{0..99}{0..99}{0..99}.tar"])
def test_more_files_than_a_set_has_are_refused_before_their_names_are_made(folder, pattern):
    with pytest.raises(ValueError, match=r'shards\(pattern=.* stands for more than 100000 files'):
        named_files(pattern, "shards", "pattern")
    assert len(named_files("{0..99999}.tar", "shards", "pattern")) == 100_000


def test_a_path_with_a_nul_is_refused_by_name(folder):
    with pytest.raises(ValueError, match="a NUL character"):
        named_files("a\0.tar", "shards", "pattern")
