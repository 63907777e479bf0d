"""flatout.data's caches: the same batches with and without, budgets, a folder from one process to the next, a kill while it is written."""

import os
import signal
import subprocess
import sys

import numpy
import pytest
from PIL import Image

from flatout import data

PICTURES = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("images")
    draw = numpy.random.default_rng(5)
    for number in range(PICTURES):
        noise = draw.integers(0, 256, (9, 12 + number % 5, 3), dtype=numpy.uint8)
        path = root / "ab"[number % 2] / f"{number:02}.{'png' if number % 7 == 3 else 'jpg'}"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(noise).resize((160 + number, 120 + 2 * number), Image.BICUBIC).save(path, quality=90)
    return root


def described(source):
    return source.shuffle(seed=3).random_resized_crop(24).flip().normalize((0.5, 0.4, 0.3), (0.2, 0.2, 0.3))


def epochs(source, count=3, **options):
    """Bytes of all batches, and the cache's figures."""
    loader = described(source).batch(7, threads=3, **options)
    out = [(images.tobytes(), labels.tolist()) for _ in range(count) for images, labels in loader]
    return out, loader.stats()["cache"]


@pytest.fixture(scope="module")
def plain(folder):
    out, cache = epochs(data.images(folder))
    assert cache is None
    return out


@pytest.mark.parametrize("keep", ["encoded", "decoded"])
@pytest.mark.parametrize("memory_mb", [1, "auto"])
def test_memory_gives_the_same_batches(folder, plain, keep, memory_mb):
    batches, cache = epochs(data.images(folder).cache(memory_mb, keep=keep))
    assert batches == plain
    kept = cache["memory"]
    assert cache["disk"] is None and kept["keeps"] == keep
    assert 0 < kept["bytes"] <= kept["budget_bytes"] and kept["hits"] + kept["misses"] == 3 * PICTURES
    if memory_mb == "auto" or keep == "encoded":
        assert (kept["samples"], kept["hits"], kept["denied"]) == (PICTURES, 2 * PICTURES, 0)
    else:
        assert 5 < kept["samples"] < PICTURES and kept["hits"] == 2 * kept["samples"]
        assert kept["denied"] == 3 * (PICTURES - kept["samples"]) and kept["bytes"] > 0.8 * kept["budget_bytes"]


def test_packed_pixels_are_kept(folder, tmp_path):
    data.pack(folder, tmp_path, kind="raw", size=64)
    without, _ = epochs(data.packed(tmp_path))
    batches, cache = epochs(data.packed(tmp_path).cache(8, keep="decoded"))
    assert batches == without and cache["memory"]["samples"] == PICTURES and cache["memory"]["keeps"] == "encoded"


def test_a_folder_serves_the_next_loader(folder, plain, tmp_path):
    kept = data.images(folder).cache(None, tmp_path / "near", 64)
    batches, cache = epochs(kept, count=1)
    assert batches == plain[:len(batches)] and cache["memory"] is None
    assert (cache["disk"]["stored"], cache["disk"]["misses"]) == (PICTURES, PICTURES)
    batches, cache = epochs(kept)
    assert batches == plain and cache["disk"]["hits"] == 3 * PICTURES
    # Both at once: what is decoded in memory is read from the folder once.
    both, cache = epochs(data.images(folder).cache("auto", tmp_path / "near", 64, "decoded"))
    assert both == plain and (cache["disk"]["hits"], cache["memory"]["hits"]) == (PICTURES, 2 * PICTURES)


def test_a_file_that_changed_is_read_again(folder, tmp_path):
    for name in "ab":
        (tmp_path / "set" / name).mkdir(parents=True)
        (tmp_path / "set" / name / "1.png").write_bytes((folder / "b" / "03.png").read_bytes())
    kept = data.images(tmp_path / "set").cache(None, tmp_path / "near", 8)
    before, _ = epochs(kept, count=1)
    Image.new("RGB", (200, 130), (9, 8, 7)).save(tmp_path / "set" / "a" / "1.png")
    after, cache = epochs(kept, count=1)
    assert after == epochs(data.images(tmp_path / "set"), count=1)[0] != before
    assert (cache["disk"]["hits"], cache["disk"]["misses"]) == (1, 1)


WRITES_AND_DIES = """
import os, signal, sys
from flatout import data
loader = data.images(sys.argv[1]).resize((16, 16)).cache(None, sys.argv[2], 64).batch(1, threads=3, ahead=1)
for number, _ in enumerate(loader):
    if number == 20:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_while_it_writes(folder, plain, tmp_path):
    path = os.pathsep.join(entry for entry in sys.path if entry)
    died = subprocess.run([sys.executable, "-c", WRITES_AND_DIES, folder, tmp_path], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert died.returncode == -signal.SIGKILL
    index = tmp_path / "segment-000000.index"
    index.write_bytes(index.read_bytes()[:-10])
    batches, cache = epochs(data.images(folder).cache(None, tmp_path, 64), count=1)
    assert batches == plain[:len(batches)]
    assert cache["disk"]["hits"] >= 19 and cache["disk"]["hits"] + cache["disk"]["stored"] == PICTURES


def test_what_cannot_be_is_said(folder, tmp_path):
    (tmp_path / "file").write_text("")
    for wrong, word in (((None,), "nowhere"), ((None, "x"), "disk_mb"), ((None, tmp_path / "file", 3), "file"), ((0,), "memory_mb")):
        with pytest.raises(data.LoaderError, match=word):
            described(data.images(folder).cache(*wrong)).batch(2)


def test_in_a_forked_child_nothing_waits(folder):
    loader = described(data.images(folder).cache(8)).batch(7)
    next(iter(loader))
    child = os.fork()
    if child == 0:
        os._exit(0 if loader.stats()["cache"] is None else 1)
    assert os.waitpid(child, 0)[1] == 0
