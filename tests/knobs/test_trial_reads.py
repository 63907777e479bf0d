"""What a trial's data came from is named, and dropped from the page cache where that is asked for."""

import ctypes
import json
import mmap
import os
import shutil
import subprocess
import sys
from pathlib import Path

import harness
import pictures
import pytest

PROGRAMS = Path(__file__).parent / "programs"
SIZE = 1 << 16
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p


@pytest.fixture
def data(tmp_path_factory):
    """24 files, one that a memory map would hold, and one that is read before training. /tmp may be memory, so not there."""
    folder = Path("/var/tmp", "flatout-reads-%d" % os.getpid())
    folder.mkdir()
    for name in [*("%02d.bin" % number for number in range(24)), "all.raw", "weights.pt"]:
        (folder / name).write_bytes(bytes(SIZE))
        with open(folder / name, "rb") as file:
            os.fsync(file.fileno())
            file.read()
    yield folder
    shutil.rmtree(folder)


def in_memory(path):
    """True: all pages of a file lie in the page cache; None: none does; False: some."""
    size = path.stat().st_size
    pages = -(-size // mmap.PAGESIZE)
    told = (ctypes.c_ubyte * pages)()
    with open(path, "rb") as file:
        at = ctypes.c_void_p(LIBC.mmap(None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), ctypes.c_long(0)))
    assert LIBC.mincore(at, ctypes.c_size_t(size), told) == 0
    LIBC.munmap(at, ctypes.c_size_t(size))
    there = sum(page & 1 for page in told)
    return True if there == pages else None if there == 0 else False


def trial(tmp_path, command, file_cache, knobs=(), env=None):
    job = {
        "schema": "flatout.trial/1", "home": str(tmp_path / "home"), "directory": str(tmp_path), "output": str(tmp_path / "output"),
        "command": [str(word) for word in command], "environment": [], "knobs": list(knobs), "steps": 4, "timeout_ns": 120 * 10**9, "seed_shift": 0,
        "name": "", "in_place": True, "unbuffered": False, "argv": True, "file_cache": file_cache, "probe": False, "driven": False,
    }  # fmt: skip
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "job").write_text(json.dumps(job))
    done = subprocess.run([str(harness.flatout_bin()), "trial", str(tmp_path / "job")], env=harness.environment(**(env or {})), capture_output=True, text=True, timeout=200)
    result = json.loads((tmp_path / "job.result").read_text())
    assert result["ended"] == "ranks", (done, result, (tmp_path / "output").read_text())
    return result["files"].split()


@pytest.mark.parametrize(
    "how, read",
    [
        (("loader", 0, ""), 16),
        (("loader", 2, ""), 24),  # these fetch ahead: all of the set
        (("loader", 2, "spawn"), 24),
        (("own_open", 0, ""), 16),
        (("memmap", 0, ""), None),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else None,
)
@pytest.mark.every_change("loader-2-spawn-24", "memmap-0--None")
def test_what_was_read_is_dropped_and_nothing_else(flatout, tmp_path, data, how, read):
    if not in_memory(data / "00.bin"):
        pytest.skip("this file system does not report which pages it caches")
    state, files, *_ = trial(tmp_path, [sys.executable, PROGRAMS / "reads_files.py", data, *how], "cold")
    assert state == "cold"
    dropped = {path.name for path in data.iterdir() if in_memory(path) is None}
    assert int(files) == len(dropped)
    assert "weights.pt" not in dropped
    if read is None:
        assert dropped == {"all.raw"}
    else:
        assert {"%02d.bin" % number for number in range(16)} <= dropped
        assert len(dropped) <= read


@pytest.mark.parametrize("available_kb, state", [(100, "cold"), (10**9, "warm")])
def test_a_set_that_does_not_fit_is_dropped(flatout, tmp_path, data, available_kb, state):
    (tmp_path / "host/proc").mkdir(parents=True)
    (tmp_path / "host/proc/meminfo").write_text("MemTotal: %d kB\nMemAvailable: %d kB\n" % (2 * available_kb, available_kb))
    said = trial(tmp_path, [sys.executable, PROGRAMS / "reads_files.py", data, "loader", 0, ""], "auto", env={"FLATOUT_HOST_FILES": str(tmp_path / "host")})
    # 16 or a few more of 24 files were read; the estimate is of all
    assert said[0] == state and said[3] == str(available_kb * 1024)
    assert 24 * SIZE <= int(said[2]) <= 28 * SIZE
    if in_memory(data / "20.bin"):
        assert in_memory(data / "00.bin") is (None if state == "cold" else True)


def test_files_of_the_loading_engine(flatout, tmp_path, data):
    """Which its threads open, without Python."""
    pictures.torchvision()
    pictures.write(data, 24)
    files = sorted(data.glob("[ab]/*.jpg"))
    for path in files:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            file.read()
    said = trial(tmp_path, [sys.executable, PROGRAMS / "train_pictures.py", json.dumps({"folder": str(data)})], "cold", knobs=[["dataloader.engine", '"native"', ""]])
    dropped = [path for path in files if in_memory(path) is None]
    assert 16 <= len(dropped) == int(said[1])
