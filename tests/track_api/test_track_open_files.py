"""Files that a script gives by name are files when they are open, and end somewhere: another thread may put anything in their place."""

import os

import pytest
from flatout.track import _files, _staging, artifact_entry, media

READERS = {"open": _files.open_regular, "stage": _staging.stage, "media": media._read}


@pytest.fixture(params=["pipe", "device", "folder", "socket"])
def no_file(request, tmp_path):
    """A path at which another thing stands once it has been looked at."""
    import socket

    path = tmp_path / "thing"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        path.symlink_to("/dev/zero")
    elif request.param == "folder":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    return str(path)


@pytest.mark.parametrize("reader", ["open", "keep", "stage", "media"])
def test_what_is_no_file_is_refused_and_blocks_nothing(reader, no_file, tmp_path):
    read = READERS.get(reader) or (lambda path: _files.keep(str(tmp_path / "kept"), path, "bin"))
    with pytest.raises(OSError):
        read(no_file)
    assert not list((tmp_path / "kept").iterdir() if (tmp_path / "kept").is_dir() else [])


def test_a_hash_of_what_is_no_file_is_none(no_file):
    assert artifact_entry._hash(no_file) == b""


def test_a_file_that_grows_while_it_is_read_ends(tmp_path, monkeypatch):
    """As long as it was when it was opened."""
    path = tmp_path / "log"
    path.write_bytes(b"x" * 1000)
    write = _files._write_all

    def grows(out, data):
        with open(path, "ab") as log:
            log.write(b"y" * 5000)
        write(out, data)

    monkeypatch.setattr(_files, "_write_all", grows)
    name, size = _files.keep(str(tmp_path / "kept"), str(path), "log")
    assert size == 1000 and (tmp_path / "kept" / name).read_bytes() == b"x" * 1000


def test_a_file_of_the_kernel_that_has_no_size_is_read(tmp_path):
    name, size = _files.keep(str(tmp_path / "kept"), "/proc/self/status", "txt")
    assert size > 100 and (tmp_path / "kept" / name).read_bytes().startswith(b"Name:")
