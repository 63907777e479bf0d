"""The collector runs wherever an object is made, and what it lets go of may ask a loader for figures: in the thread that is asking."""

import ast
import gc
import threading
import weakref
from pathlib import Path

import torch_sets
from loader_threads import stacks
from test_torch_native import evaluation, folder, made  # noqa: F401
from flatout import data
from flatout.torch import DataLoader

FLATOUT = Path(data.__file__).resolve().parent
LONG_S = 20


class Dropped:
    """In a cycle; calls `last` when the collector finds it."""

    def __init__(self, last):
        self.itself = self
        weakref.finalize(self, last).atexit = False


class Collecting:
    """A lock in whose hold the collector runs."""

    def __init__(self, lock, last):
        self.lock, self.last = lock, last

    def __enter__(self):
        self.lock.__enter__()
        if self.last is not None:
            last, self.last = self.last, None
            Dropped(last)
            gc.collect()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def ends(call):
    """What call() gives, in a thread that may never return."""
    got = []
    thread = threading.Thread(target=lambda: got.append(call()), daemon=True)
    thread.start()
    thread.join(LONG_S)
    assert not thread.is_alive(), "it waits for itself\n%s" % stacks()
    return got[0]


def inside(owner, name, ask):
    """What ask() gave inside of ask(), and outside."""
    told = []
    setattr(owner, name, Collecting(getattr(owner, name), lambda: told.append(ask())))
    outer = ends(ask)
    assert len(told) == 1
    return told[0], outer


def test_of_the_engine(folder):  # noqa: F811
    loader = made(evaluation(folder))
    list(loader)
    engine = loader._iterators._engines.opened[0]
    inner, outer = inside(engine, "lock", engine.stats)
    assert inner["samples"] == outer["samples"] == 18
    inner, outer = inside(engine, "lock", lambda: engine.name(3))
    assert inner == outer and inner.endswith(".jpg")


def test_of_flatout_data(folder):  # noqa: F811
    loader = data.images(folder).resize(8).center_crop(8).batch(4)
    list(loader)
    inner, outer = inside(loader, "_texts", loader.stats)
    assert inner["samples"] == outer["samples"] == 18


def test_of_a_loader_in_python():
    loader = DataLoader(torch_sets.Numbers(), batch_size=4)
    list(loader)
    inner, outer = inside(loader._stats, "_lock", loader.stats)
    assert inner["samples"] == outer["samples"] == 23


def test_an_iterator_that_ends_while_figures_are_read(folder):  # noqa: F811
    """As under `flatout run`: its end reports the figures of the same engines, behind those that are being read."""
    loader = made(evaluation(folder))
    list(loader)
    engines = loader._iterators._engines
    told = []

    def tell(figures):
        begun = len(told)
        told.append((figures()["samples"], begun == len(told)))

    engines.listen(Dropped(lambda: None), tell)
    engine = engines.opened[0]
    engine.lock = Collecting(engine.lock, lambda: None)
    ends(engines.ended)
    assert told == [(18, True), (18, True)]


NOT_REENTRANT = {"Lock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier", "Queue", "LifoQueue", "PriorityQueue"}


def test_no_lock_of_ours_waits_for_its_own_thread():
    """threading.RLock and queue.SimpleQueue may be taken again by the thread that has them; these may not."""
    found, looked_at = [], 0
    for path in sorted(FLATOUT.rglob("*.py")):
        looked_at += 1
        for node in ast.walk(ast.parse(path.read_text())):
            if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NOT_REENTRANT
                    and isinstance(node.func.value, ast.Name) and node.func.value.id in ("threading", "queue")):
                found.append("%s:%d" % (path.relative_to(FLATOUT), node.lineno))
    assert not found and looked_at > 50
