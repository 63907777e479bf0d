"""A function that is hooked in place, called in each way Python has; run on every Python that is there.

Prints "ok". Asserts that each call passes the Span once and that the function is the same to whoever looks.
"""

import copy
import functools
import inspect
import operator
import os
import pickle
import sys
import threading
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from native import CALLBACK, load_with_ring

native, _folder = load_with_ring()
here = sys.modules[__name__]
seen = []


def plain(a, b=2, *rest, c=3, **more):
    """Adds."""
    return a + b + c + sum(rest) + sum(more.values())


class Thing:
    def __init__(self, a=1):
        self.a = a

    def __call__(self, b):
        return self.a + b

    def __iter__(self):
        return self

    def __next__(self):
        raise StopIteration

    def method(self, b):
        return self.a * b


class Child(Thing):
    def __init__(self):
        super().__init__(5)

    def method(self, b):
        return super().method(b) + 1


def hook(holder, name, **more):
    return native.hook(holder, name, CALLBACK, before=lambda args, _nothing: seen.append((name, args)), **more)


def looks(function):
    code = function.__code__
    return (
        id(function), hash(function), repr(function), function.__name__, function.__qualname__, function.__module__,
        function.__doc__, function.__defaults__, function.__kwdefaults__, id(function.__globals__), id(code),
        function.__dict__, hasattr(function, "__wrapped__"), str(inspect.signature(function)), inspect.getsource(function),
        inspect.isfunction(function), isinstance(function, types.FunctionType), function.__class__ is types.FunctionType,
        inspect.isroutine(function), callable(function), function == function, sorted(dir(function)),
        [pickle.dumps(function, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)],
        [pickle._dumps(function, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)],
        copy.copy(function) is function, copy.deepcopy(function) is function,
    )  # fmt: skip


def every_way_to_call(function):
    yield lambda: function(1)
    yield lambda: function(1, c=4)
    yield lambda: function(a=1, b=4)
    yield lambda: function(*(1, 2), **{"c": 5})
    yield lambda: function(1, 2, 3, 4, 5, *range(20), **{"k%d" % i: i for i in range(20)})
    yield lambda: list(map(function, (1, 2)))[0]
    yield lambda: functools.partial(function, 1)(b=1)
    yield lambda: operator.call(function, 1) if hasattr(operator, "call") else function(1)
    yield lambda: types.MethodType(function, 1)(2)
    yield lambda: function.__call__(1)
    yield lambda: [function(index) for index in range(100)][-1]


def passes_each_call_once():
    bound_before = plain
    before = looks(plain)
    expected = [call() for call in every_way_to_call(plain)]
    assert not seen
    span = hook(here, "plain")
    assert looks(plain) == before and plain is bound_before
    for round_ in range(40):  # often enough for the interpreter to specialise its calls
        calls = 0
        for call, value in zip(every_way_to_call(bound_before), expected):
            seen.clear()
            assert call() == value
            calls += 1
            assert len(seen) in (1, 2, 100), (calls, round_, seen)
    assert native.unhook(span) and not native.unhook(span)
    seen.clear()
    assert [call() for call in every_way_to_call(plain)] == expected and not seen
    assert looks(plain) == before and type(plain) is types.FunctionType


def hooks_stand_in_front_of_each_other():
    outer, order = [], []
    spans = [
        native.hook(here, "plain", CALLBACK, before=lambda _args, _nothing, index=index: order.append(index))
        for index in range(3)
    ]
    assert plain(1) == 6 and order == [2, 1, 0]
    for span, left in ((spans[1], [2, 0]), (spans[2], [0]), (spans[0], [])):
        assert native.unhook(span)
        order.clear()
        assert plain(1) == 6 and order == left
    assert outer == []


def changes_of_the_function_count():
    span = hook(here, "plain")
    was = plain.__kwdefaults__["c"]
    plain.__kwdefaults__["c"] = 100
    assert plain(1) == 103
    plain.__kwdefaults__["c"] = was
    code = plain.__code__
    plain.__code__ = (lambda a, b=2, *rest, c=3, **more: "other").__code__
    assert plain(1) == "other"
    plain.__code__ = code
    plain.mark = 1
    assert plain.__dict__ == {"mark": 1}
    del plain.mark
    native.unhook(span)


def methods_and_slots():
    names = ("__init__", "__call__", "__next__", "method")
    spans = [hook(Thing, name) for name in names]
    for _ in range(40):
        seen.clear()
        thing = Thing(3)
        assert thing(4) == 7 and thing.method(2) == 6 and Child().method(2) == 11 and list(thing) == []
        bound = thing.method
        assert bound(2) == 6 and bound.__func__ is Thing.method
        assert [name for name, _args in seen] == ["__init__", "__call__", "method", "__init__", "method", "__next__", "method"], seen
    assert all(native.unhook(span) for span in spans)


def an_error_has_no_frame_of_ours():
    span = hook(here, "plain")
    try:
        plain("a")
    except TypeError as error:
        frames = []
        at = error.__traceback__
        while at is not None:
            frames.append(at.tb_frame.f_code.co_name)
            at = at.tb_next
    assert frames == ["an_error_has_no_frame_of_ours", "plain"], frames
    native.unhook(span)


def taken_off_inside_its_own_call():
    kept = []
    kept.append(native.hook(here, "plain", CALLBACK, after=lambda _args, _result: native.unhook(kept[0])))
    assert plain(1) == 6 and plain(1) == 6 and type(plain) is types.FunctionType


def deep_and_in_threads():
    def deep(left):
        return 0 if left == 0 else 1 + here.descend(left - 1)

    here.descend = deep
    span = hook(here, "descend")
    assert deep(200) == 200
    try:
        deep(10**6)
    except RecursionError:
        pass
    threads = [threading.Thread(target=lambda: [deep(5) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    native.unhook(span)


def functions_that_another_module_shows_are_replaced():
    """Their hash is made of the pointer that would be changed, and sets are made of them."""
    was, many = os.unlink, {os.unlink}
    span = hook(os, "unlink")
    assert os.unlink is span and os.unlink == was and os.unlink in many and os.unlink in os.supports_dir_fd
    assert isinstance(os.unlink, types.BuiltinFunctionType) and native.unwrap(span) is was and not native.unhook(span)
    assert pickle.loads(pickle.dumps(was)) is was and pickle.loads(pickle.dumps(os.unlink)) is was
    os.unlink = was


def functions_of_c_modules():
    posix, builtins = sys.modules["posix"], sys.modules["builtins"]
    cases = [
        (sys, "getrecursionlimit", lambda: sys.getrecursionlimit() > 0, True),  # no argument
        (builtins, "ascii", lambda: ascii("a"), "'a'"),  # one
        (builtins, "divmod", lambda: divmod(3, 2), (1, 1)),  # an array of them
        (posix, "access", lambda: posix.access("/", mode=0), True),  # by name as well
        (sys.modules["time"], "strftime", lambda: sys.modules["time"].strftime("x"), "x"),  # a tuple
        (builtins, "max", lambda: max([1, 2], key=abs), 2),
    ]
    for holder, name, call, result in cases:
        function = getattr(holder, name)
        span = hook(holder, name)
        del seen[:]
        assert [call() for _ in range(20)] == [result] * 20 and len(seen) == 20, (name, len(seen))
        assert getattr(holder, name) is function and pickle.loads(pickle.dumps(function)) is function and copy.deepcopy(function) is function
        assert native.unhook(span)
        assert call() == result and len(seen) == 20, name


def methods_of_c():
    class Many(list):
        pass

    cases = [
        (int, "to_bytes", lambda: (5).to_bytes(2, byteorder="big"), b"\0\5"),
        (str, "format", lambda: "{}{b}".format(1, b=2), "12"),
        (list, "index", lambda: [1, 2].index(2), 1),
        (str, "join", lambda: "-".join(["a", "b"]), "a-b"),
    ]
    for kind, name, call, result in cases:
        method = vars(kind)[name]
        span = hook(kind, name)
        del seen[:]
        assert [call() for _ in range(20)] == [result] * 20 and len(seen) == 20, name
        assert vars(kind)[name] is method and pickle.loads(pickle.dumps(method)) is method, name
        assert native.unhook(span)
        assert call() == result and len(seen) == 20
    span = hook(list, "copy")
    del seen[:]
    assert Many([1]).copy() == [1] and [2].copy() == [2] and list.copy([3]) == [3] and list(map(list.copy, [[4]])) == [[4]] and len(seen) == 4
    assert native.unhook(span)


def other_arguments_for_c():
    """As the plans and trials change arguments: by name, by position, and a result in the place of a call."""
    cases = [
        (int, "to_bytes", lambda: (5).to_bytes(2, "little"), lambda args: ((args[0], 1), {"byteorder": "big"}), b"\5"),
        (str, "format", lambda: "{a}".format(a=1), lambda args: (args, {"a": 2}), "2"),
        (list, "index", lambda: [1, 2].index(2), lambda args: ((args[0], 1), None), 0),
        (str, "join", lambda: "-".join(["a", "b"]), lambda args: ((args[0], ["c"]), None), "c"),
        (list, "copy", lambda: [1].copy(), lambda args: (([2],), None), [2]),
    ]
    for kind, name, call, changed, result in cases:
        for enter, expected in ((lambda args, _kwargs, to=changed: (*to(args), None), result), (lambda _args, _kwargs: ("instead",), "instead")):
            span = native.hook(kind, name, 10, before=enter, after=lambda _token, _result, _raised: None)
            assert call() == expected, (name, call())
            assert native.unhook(span)


def what_cannot_be_hooked_so_is_replaced():
    here.square = functools.partial(max, 0)
    was = here.square
    span = hook(here, "square")
    assert here.square is span and here.square == was and hash(here.square) == hash(was)
    assert here.square(1, 2) == 2 and isinstance(here.square, functools.partial) and native.unwrap(span) is was
    assert not native.unhook(span)


if native.can_hook_in_place():
    passes_each_call_once()
    hooks_stand_in_front_of_each_other()
    changes_of_the_function_count()
    methods_and_slots()
    an_error_has_no_frame_of_ours()
    taken_off_inside_its_own_call()
    deep_and_in_threads()
    functions_that_another_module_shows_are_replaced()
    functions_of_c_modules()
    methods_of_c()
    other_arguments_for_c()
    what_cannot_be_hooked_so_is_replaced()
    print("ok")
