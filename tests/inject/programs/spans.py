"""Uses every mode of a Span hard, also where things go wrong; run under ASan too.

Prints "ok" and the ring's folder. Asserts what a caller can see.
"""

import copy
import gc
import inspect
import os
import pickle
import signal
import sys
import threading
import weakref
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from native import (CALLBACK, COMPOSE, DEVICE_CALL, DEVICE_CUDA, DEVICE_TO, FETCH, FORWARD, ITER_BUILD, NEXT, NUMBER, PHASE, SCOPED, STAGE,
                    load_with_ring)  # fmt: skip

native, folder = load_with_ring()


def named(a, b=2, *, c=3):
    """Adds."""
    return a + b + c


def device_time(is_initialized):
    """Has the native module ask this whether CUDA has started, at each boundary and copy."""
    native.device_time(is_initialized, lambda _device: 0, type(None), lambda: None, lambda *_: None, lambda _source: False)


def is_a_function_to_whoever_looks():
    span = native.span(named, PHASE, NUMBER["checkpoint"])
    assert span(1) == 6 and span(1, c=5) == 8
    assert (span.__name__, span.__doc__, native.unwrap(span)) == ("named", "Adds.", named) and not hasattr(span, "__wrapped__")
    assert inspect.signature(span) == inspect.signature(named)
    assert repr(span) == repr(named)
    assert copy.deepcopy(span) is span and copy.copy(span) is span
    span.mark = 1
    assert named.mark == 1
    reference = weakref.ref(span)
    assert reference() is span
    del span
    gc.collect()
    assert reference() is None


def pickles_by_name():
    global named
    plain = named
    named = native.span(plain, PHASE, NUMBER["checkpoint"])
    assert pickle.loads(pickle.dumps(named)) is named
    named = plain


def binds_as_a_method_and_passes_exceptions():
    class Module:
        training = True

        def __call__(self, x):
            if x is None:
                raise KeyError("mine")
            return x

    Module.__call__ = native.span(Module.__call__, FORWARD, NUMBER["forward"])
    module = Module()
    assert module(4) == 4 and module.__call__(5) == 5 and Module.__call__(module, 6) == 6
    for _ in range(1000):
        try:
            module(None)
        except KeyError as error:
            names = [f.name for f in _frames(error)]
            assert names == ["binds_as_a_method_and_passes_exceptions", "__call__"], names


def _frames(error):
    import traceback

    return traceback.extract_tb(error.__traceback__)


def iterators_fetches_and_stages():
    class Iterator:
        left = 3

        def __next__(self):
            self.left -= 1
            if self.left < 0:
                raise StopIteration
            return fetcher.fetch([1, 2])

    class Fetcher:
        def fetch(self, index):
            return [compose(i) for i in index]

    class Compose:
        def __init__(self, transforms):
            self.transforms = transforms

        def __call__(self, x):
            for t in self.transforms:
                x = t(x)
            return x

    class Loader:
        def __iter__(self):
            return Iterator()

    def fails(x):
        if x == 99:
            raise ValueError
        return x

    class Augment:
        def augment(self, x):
            return x

    def built(args, iterator):
        assert native.number_iterator(iterator, 1) > 0

    Iterator.__next__ = native.span(Iterator.__next__, NEXT, NUMBER["data_wait"])
    Fetcher.fetch = native.span(Fetcher.fetch, FETCH)
    Compose.__call__ = native.span(Compose.__call__, COMPOSE)
    Loader.__iter__ = native.span(Loader.__iter__, ITER_BUILD, NUMBER["iter_build"], after=built)
    fetcher = Fetcher()
    for round_ in range(40):  # more than the stand-ins that are kept
        compose = Compose([fails, None and 0 or (lambda x: x + 1), native.span(fails, STAGE, stage="inner"), Augment().augment])
        iterator = Loader().__iter__()
        got = []
        while True:
            try:
                got.append(next(iterator))
            except StopIteration:
                break
        assert got == 3 * [[2, 3]], got
        compose.transforms.append(lambda x: 99)
        compose.transforms.append(fails)
        try:
            fetcher.fetch([1])
            raise AssertionError("the error was lost")
        except ValueError:
            pass


def callbacks_that_fail_are_not_seen():
    def broken(*_):
        raise RuntimeError("ours")

    span = native.span(named, CALLBACK, before=broken, after=broken)
    assert span(1) == 6
    device_time(broken)
    assert native.span(named, PHASE, NUMBER["backward"])(1) == 6
    for mode in (DEVICE_CALL, DEVICE_TO, DEVICE_CUDA):
        assert native.span(named, mode)(1) == 6
    for bad in ((named, 77), (named, 0, 99), (3, 0)):
        try:
            native.span(*bad)
            raise AssertionError(bad)
        except (ValueError, TypeError):
            pass


class TimeIsUp(Exception):
    pass


def a_signal_during_a_callback_is_the_programs():
    """Ctrl-C, and a handler that raises, as timeouts do."""

    def time_is_up(*_):
        raise TimeIsUp

    def interrupted(signo):
        left = [signo]
        return lambda *_: signal.raise_signal(left.pop()) if left else None

    before = signal.signal(signal.SIGALRM, time_is_up)
    for signo, error in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, TimeIsUp)):
        for mode in (CALLBACK, DEVICE_CUDA, SCOPED, PHASE):
            hook = interrupted(signo)
            if mode in (PHASE, DEVICE_CUDA):
                device_time(hook)
            try:
                native.span(named, mode, NUMBER["backward"], before=None if mode in (PHASE, DEVICE_CUDA) else hook, after=named)(1)
                for _ in range(1000):
                    pass
                raise AssertionError((signo, mode, "the program was not told"))
            except error as caught:
                names = {frame.name for frame in _frames(caught)}
            assert names <= {"a_signal_during_a_callback_is_the_programs", "named"}, ("a frame of ours", mode, names)
    device_time(lambda: False)
    signal.signal(signal.SIGALRM, before)


def what_ends_a_thread_during_a_callback_ends_it():
    """As ctypes' way to stop a thread does."""
    import ctypes

    def stopped(*_):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(SystemExit))
        for _ in range(1000):
            pass

    went_on = []

    def work():
        native.span(named, CALLBACK, before=stopped)(1)
        for _ in range(1000):
            pass
        went_on.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert went_on == []


def scopes_change_calls_and_are_always_left():
    """Mode 10, and the scope around outermost training forwards."""
    left = []

    def enter(args, kwargs):
        if args[-1] == "not":
            return None
        if args[-1] == "broken":
            raise RuntimeError("ours")
        if args[-1] == "interrupted":
            raise KeyboardInterrupt
        return (*args[:-1], args[-1] * 2), kwargs, ["token"]

    def leave(token, result, raised):
        left.append((token, result, raised))
        if result == 8:
            raise RuntimeError("ours")
        if result == 100:
            raise KeyboardInterrupt
        return (("more", result),) if result == 14 else None

    def same(value, fails=False):
        if fails:
            raise KeyError(value)
        return value

    span = native.span(same, 10, before=enter, after=leave)
    for _ in range(200):
        assert span(7) == ("more", 14) and span("not") == "not" and span("broken") == "broken" and span(4) == 8
    assert left[0] == (["token"], 14, False) and len(left) == 400
    del left[:]
    try:
        span(3, fails=True)
    except KeyError as caught:
        assert caught.args == (6,) and len(_frames(caught)) == 2, "no frame of ours"
    assert left == [(["token"], None, True)]
    for value in ("interrupted", 50):
        try:
            span(value)
            raise AssertionError("Ctrl-C is the program's")
        except KeyboardInterrupt as caught:
            assert len(_frames(caught)) == 1

    class Module:
        training = True

        def __call__(self, value):
            return self.inner(value) if value == 10 else value

    Module.__call__ = native.span(Module.__call__, FORWARD, NUMBER["forward"])
    Module.inner = lambda self, value: Module()(value + 1)
    native.set_forward_scope(enter, leave)
    try:
        del left[:]
        module = Module()
        assert module(5) == 11 and len(left) == 1, "only the outermost call"
    finally:
        native.set_forward_scope(None, None)
    assert module(4) == 4 and len(left) == 1


def deep_nesting_and_unbalanced_ends():
    for _ in range(100):
        native.begin(NUMBER["optimizer"])
    for _ in range(200):
        native.end(NUMBER["optimizer"])
    native.end(NUMBER["backward"])
    native.begin(0)
    native.begin(1000)
    native.fact("long", "x" * 100_000)  # longer than a record may be: dropped


def threads_have_lanes_of_their_own():
    def work():
        for _ in range(2000):
            native.begin(NUMBER["comm"])
            native.end(NUMBER["comm"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def a_forked_child_writes_a_ring_of_its_own():
    native.begin(NUMBER["forward"])
    pid = os.fork()
    if pid == 0:
        native.end(NUMBER["forward"])  # not open here
        native.begin(NUMBER["sync"])
        native.end(NUMBER["sync"])
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    native.end(NUMBER["forward"])
    rings = sorted(os.listdir(folder))
    assert len(rings) == 2, rings


for test in (is_a_function_to_whoever_looks, pickles_by_name, binds_as_a_method_and_passes_exceptions,
             iterators_fetches_and_stages, callbacks_that_fail_are_not_seen, a_signal_during_a_callback_is_the_programs, what_ends_a_thread_during_a_callback_ends_it, scopes_change_calls_and_are_always_left, deep_nesting_and_unbalanced_ends,
             a_forked_child_writes_a_ring_of_its_own, threads_have_lanes_of_their_own):  # fmt: skip
    test()
    gc.collect()
print("ok")
print(folder)
