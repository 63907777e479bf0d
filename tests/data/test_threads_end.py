"""engine="threads": its threads end when the program lets go of the iterator, without the collector."""

import gc
import threading

import pytest

import torch_sets
from test_torch_native import evaluation, write
from loader_threads import running, stacks
from flatout.torch import DataLoader

LONG_S = 20


@pytest.fixture(autouse=True)
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def made(dataset, **more):
    return DataLoader(dataset, engine="threads", **{"num_workers": 3, **more})


def breaks(loader):
    for _ in loader:
        break


def goes_through(loader):
    for _ in loader:
        pass


def raises_itself(loader):
    for _ in loader:
        raise ZeroDivisionError


def goes_on_behind_errors(loader):
    iterator = iter(loader)
    while True:
        try:
            next(iterator)
        except OSError:
            pass
        except StopIteration:
            raise KeyError from None


def keeps_an_iterator_in_its_frame(loader):
    iterator = iter(loader)
    next(iterator)
    raise ZeroDivisionError


def fails(number):
    raise KeyError("init")


def chained(batch):
    try:
        raise KeyError("inner")
    except KeyError as error:
        raise ValueError("outer") from error


word = threading.Event()


def waits_for_the_word(number):
    assert word.wait(LONG_S)


LARGE = 1000
WAYS = {
    "break": (breaks, None, lambda: made(torch_sets.Numbers(LARGE))),
    "a whole epoch": (goes_through, None, lambda: made(torch_sets.Numbers(50))),
    "threads that persist": (breaks, None, lambda: made(torch_sets.Numbers(LARGE), persistent_workers=True)),
    "never read": (iter, None, lambda: made(torch_sets.Numbers(LARGE))),
    "an error of the program": (raises_itself, ZeroDivisionError, lambda: made(torch_sets.Numbers(LARGE))),
    "the iterator a local": (keeps_an_iterator_in_its_frame, ZeroDivisionError, lambda: made(torch_sets.Numbers(LARGE))),
    "worker_init_fn": (goes_through, KeyError, lambda: made(torch_sets.Numbers(LARGE), worker_init_fn=fails)),
    "a sample": (goes_through, OSError, lambda: made(torch_sets.Holes(LARGE, {5}))),
    "a sample, and threads that persist": (goes_through, OSError, lambda: made(torch_sets.Holes(LARGE, {5}), persistent_workers=True)),
    "several samples": (goes_on_behind_errors, KeyError, lambda: made(torch_sets.Holes(50, {5, 7, 30}))),
    "an error with a cause": (goes_through, ValueError, lambda: made(torch_sets.Numbers(LARGE), collate_fn=chained)),
    "no time left": (goes_through, RuntimeError, lambda: made(torch_sets.Numbers(LARGE), timeout=0.01, worker_init_fn=waits_for_the_word)),
}


@pytest.mark.parametrize("way", WAYS)
def test_they_end(way):
    assert not running()
    word.clear()
    use, error, make = WAYS[way]
    try:
        use(make())
        raised = None
    except Exception as caught:
        raised = type(caught)
    word.set()
    for thread in running():
        thread.join(LONG_S)
        assert not thread.is_alive(), "%s goes on\n%s" % (thread.name, stacks())
    assert raised is error


@pytest.mark.parametrize("use", [breaks, goes_through, raises_itself, keeps_an_iterator_in_its_frame])
@pytest.mark.parametrize("damaged", [False, True])
def test_an_engine_is_given_back(tmp_path, use, damaged):
    """By the iterator of engine="native", for the next one, also where a file is no good and the dataset raises what it finds."""
    files = sorted(write(tmp_path, count=18).rglob("*.jpg"))
    if damaged:
        files[9].write_bytes(files[9].read_bytes()[:200])
    loader = DataLoader(evaluation(tmp_path), batch_size=2, engine="native")
    for _ in range(3):
        try:
            use(loader)
        except (OSError, ZeroDivisionError):
            pass
    engines = loader._iterators._engines
    assert len(engines.opened) == len(engines.idle) == 1
