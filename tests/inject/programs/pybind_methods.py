"""A method that pybind11 defines, hooked in place: each call as a method passes, and the function is the same to whoever looks."""

import sys
import threading
from pathlib import Path

from torch.distributed import HashStore, ProcessGroup

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from native import CALLBACK, load_with_ring

NAME = "_set_group_desc"
native, _folder = load_with_ring()
seen = []
function, raw = ProcessGroup._set_group_desc, vars(ProcessGroup)[NAME]
known = {function: NAME}
before = (hash(function), repr(function), function.__qualname__, type(function))
group = ProcessGroup(HashStore(), 0, 1)
bound_before = group._set_group_desc


def hook():
    return native.hook(ProcessGroup, NAME, CALLBACK, before=lambda args, _nothing: seen.append((args[0] is group, *args[1:])))


def passed(*texts):
    assert seen == [(True, text) for text in texts], seen
    seen.clear()


def sets(call, text):
    call(text)
    assert group.group_desc == text


span = hook()
assert ProcessGroup._set_group_desc is function and vars(ProcessGroup)[NAME] is raw and raw.__func__ is function
assert (hash(function), repr(function), function.__qualname__, type(function)) == before
assert known[ProcessGroup._set_group_desc] == NAME and function in {ProcessGroup._set_group_desc} and native.unwrap(function) is function

sets(group._set_group_desc, "a")
sets(lambda text: group._set_group_desc(*(text,)), "b")
sets(bound_before, "d")
sets(lambda text: function(group, text), "e")
sets(getattr(group, NAME), "f")
passed("a", "b", "d", "e", "f")


def often():  # until bytecode is specialised
    for i in range(200):
        group._set_group_desc(str(i))


often()
thread = threading.Thread(target=often)
thread.start()
thread.join()
passed(*map(str, range(200)), *map(str, range(200)))

for wrong, named in ((1,), {}), ((), {"text": "c"}):
    try:
        group._set_group_desc(*wrong, **named)
    except TypeError as error:
        assert "incompatible function arguments" in str(error), error
    else:
        raise AssertionError("pybind11 took what is no text, or a name that it does not know")
assert seen.pop() == (True,)  # what is named is not among the arguments
passed(1)

second = hook()
sets(group._set_group_desc, "g")
passed("g", "g")
assert native.unhook(span) and not native.unhook(span)
sets(group._set_group_desc, "h")
passed("h")
assert native.unhook(second)
sets(group._set_group_desc, "i")
assert hash(function) == before[0]
passed()
third = hook()
often()
passed(*map(str, range(200)))
assert native.unhook(third)
print("ok")
