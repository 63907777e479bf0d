"""Loaders that are closed, in whatever way, and then used: an error in Python, never the end of the process; and programs that end while threads use them."""

import gc
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from flatout import data  # noqa: E402

HERE = Path(__file__).resolve().parent
LONG_S = 120  # a hang, on a machine that is busy


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("images")
    draw = numpy.random.default_rng(5)
    for number in range(12):
        path = root / "ab"[number % 2] / f"{number:02}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(draw.integers(0, 256, (60, 80, 3), dtype=numpy.uint8)).save(path)
    return root


def pictures(folder):
    return data.images(folder).shuffle(seed=1).random_resized_crop(32)


def rows(folder):
    numpy.save(folder / "rows.npy", numpy.arange(60, dtype="int64").reshape(12, 5))
    return data.arrays(folder / "rows.npy")


def words(folder):
    numpy.save(folder / "words.npy", numpy.arange(400, dtype="uint16"))
    return data.tokens(folder / "words.npy").window(8)


KINDS = [pictures, rows, words]
USES = {
    "iter": iter,
    "state_dict": lambda loader: loader.state_dict(),
    "load_state_dict": lambda loader: loader.load_state_dict({"epoch": 0, "drawn": 0}),
    "stats": lambda loader: loader.stats(),
    "set_threads": lambda loader: loader.set_threads(2),
    "to the host": lambda loader: loader.to("cpu"),
    "to a device": lambda loader: loader.to("cuda"),
    "next": lambda loader: loader._next(),
}


def test_every_method_is_looked_at():
    public = {name for name in vars(data.Loader) if not name.startswith("_")}
    assert public == {"state_dict", "load_state_dict", "stats", "set_threads", "to", "close"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("begun", [False, True])
def test_used_after_close(tmp_path, folder, kind, use, begun):
    loader = kind(folder if kind is pictures else tmp_path).batch(3)
    if begun:
        next(iter(loader))
    loader.close()
    loader.close()
    with pytest.raises(ValueError, match="the loader is closed"):
        USES[use](loader)
    assert loader.samples and loader.epoch == begun and isinstance(loader.classes, list)


def test_closed_inside_an_iteration(folder):
    loader = pictures(folder).batch(2)
    batches = iter(loader)
    images, labels = next(batches)
    before = images.copy()
    loader.close()
    for _ in range(2):
        with pytest.raises(ValueError, match="the loader is closed"):
            next(batches)
    another = pictures(folder).batch(2)
    with pytest.raises(ValueError, match="the loader is closed"):  # a handle is not given again
        next(batches)
    assert sum(len(labels) for _, labels in another) == 12
    assert numpy.array_equal(images, before)


def test_a_batch_outlives_its_loader(folder):
    loader = pictures(folder).batch(2)
    images, labels = next(iter(loader))
    before = images.copy()
    del loader
    gc.collect()
    epochs = [batch for batch in pictures(folder).batch(2)]
    assert numpy.array_equal(images, before) and len(epochs) == 6


def closed_while_a_thread_reads(folder, number):
    """By which error the thread ended, after at least one batch."""
    loader = pictures(folder).batch(2 + number % 5, threads=1 + number % 3)
    begun, ended = threading.Event(), []

    def read():
        try:
            while True:
                for _ in loader:
                    begun.set()
        except BaseException as error:  # noqa: BLE001
            ended.append(error)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert begun.wait(LONG_S)
    closers = [threading.Thread(target=loader.close, daemon=True) for _ in range(2)]
    tellers = [threading.Thread(target=lambda: _told(loader), daemon=True)]
    for one in closers + tellers:
        one.start()
    for one in [*closers, *tellers, reader]:
        one.join(LONG_S)
        assert not one.is_alive()
    return ended[0]


def _told(loader):
    try:
        loader.stats()
    except ValueError:
        pass


@pytest.mark.parametrize("runs", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_closed_by_another_thread(folder, runs):
    for number in range(runs):
        error = closed_while_a_thread_reads(folder, number)
        assert type(error) is ValueError and "closed" in str(error)


@pytest.mark.parametrize("runs", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_two_threads_share_a_loader(folder, runs):
    """Each batch goes to one of them."""
    for _ in range(runs):
        batches, got = iter(data.images(folder).resize(32).center_crop(32).batch(1, threads=2)), [[], []]
        threads = [threading.Thread(target=lambda to=to: to.extend(len(labels) for _, labels in batches), daemon=True) for to in got]
        for one in threads:
            one.start()
        for one in threads:
            one.join(LONG_S)
            assert not one.is_alive()
        assert sum(map(sum, got)) == 12


ENDINGS = {"end": 0, "non-daemon": 0, "_exit": 0, "sys.exit": 0, "exit in a thread": 0, "exception": 1, "interrupt": -2, "closed by atexit": 0,
           "fork": 0}


def ended(ending, folder):
    program = subprocess.run([sys.executable, HERE / "closing.py", ending, folder], capture_output=True, text=True, timeout=LONG_S,
                             env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    words = [line for line in program.stderr.splitlines() if line and not line.startswith(" ")]
    return program.returncode, program.stdout, words


def check_ending(ending, folder):
    code, told, words = ended(ending, folder)
    assert code == ENDINGS[ending], words
    assert told.startswith("near the end (3, 3, 32, 32)")
    expected = {"exception": "KeyError: 'in the loop'", "interrupt": "KeyboardInterrupt"}.get(ending)
    assert words == (["Traceback (most recent call last):", expected] if expected else [])
    if ending == "fork":
        assert "the loader belongs to the process" in told


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_while_threads_read(folder, ending):
    check_ending(ending, folder)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_while_threads_read_often(folder, ending):
    for _ in range(25):
        check_ending(ending, folder)


def test_an_open_loader_is_not_pickled(folder):
    with pytest.raises(TypeError, match="pickle the description"):
        pickle.dumps(pictures(folder).batch(2))


@pytest.mark.parametrize("kind", KINDS)
def test_descriptions_are_pickled(tmp_path, folder, kind):
    there = kind(folder if kind is pictures else tmp_path).shuffle(seed=4)
    again = pickle.loads(pickle.dumps(there))
    first, second = next(iter(there.batch(3))), next(iter(again.batch(3)))
    for one, other in zip(first if isinstance(first, tuple) else (first,), second if isinstance(second, tuple) else (second,)):
        assert numpy.array_equal(one, other)


@pytest.mark.parametrize("state, error", [
    ({"epoch": -1, "drawn": 0}, ValueError), ({"epoch": 0, "drawn": -1}, ValueError), ({"epoch": 1 << 32, "drawn": 0}, ValueError),
    ({"epoch": 0, "drawn": 1 << 63}, ValueError), ({"epoch": -1}, ValueError), ({}, ValueError), ({"epoch": 0.5, "drawn": 0}, TypeError),
    ({"epoch": "0", "drawn": 0}, TypeError), ({"epoch": None, "drawn": 0}, TypeError)])  # fmt: skip
def test_a_bad_state_is_refused_and_changes_nothing(folder, state, error):
    loader, twin = pictures(folder).batch(4), pictures(folder).batch(4)
    with pytest.raises(error, match="drawn|epoch"):
        loader.load_state_dict(state)
    for (one, _), (other, _) in zip(loader, twin, strict=True):
        assert numpy.array_equal(one, other)


def test_a_bad_epoch_is_refused(folder):
    loader = pictures(folder).batch(4)
    loader.epoch = -1
    with pytest.raises(ValueError, match="epoch=-1"):
        iter(loader)
