"""Whether what a library's name stands for is still what the library's own file compiles to.

Nothing is run for it: the file's code, which Python keeps compiled beside it, is read and compared. What was found to be the
library's own is remembered by its code object, so a later look is short.
"""

from __future__ import annotations

import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_known = {}  # id -> code object that is its file's own


def unwrapped(thing: Any) -> Any:
    """Without what flatout's own hooks put around it, and without its descriptor."""
    while True:
        kind = type(thing)
        if kind.__module__ == "flatout" and kind.__name__ == "Span":
            thing = kind.__flatout_function__(thing)
        elif kind in (staticmethod, classmethod, types.MethodType):
            thing = thing.__func__
        elif kind is property:
            thing = thing.fget
        else:
            return thing


def is_function(thing: Any) -> bool:
    """A plain Python function, also one that flatout's hooks stand in front of: its class is then one below the usual."""
    return issubclass(type(thing), types.FunctionType)


def is_own(function: Callable[..., Any]) -> bool:
    """Of a plain function: its code stands in the file of the module that it says it is of."""
    code = function.__code__
    if id(code) in _known:
        return True
    if not any(code == one for one in _codes_of(function.__globals__.get("__name__")).get(code.co_name, ())):
        return False
    _known[id(code)] = code
    return True


def defines(module: Any, name: str) -> bool:
    """The module's file has a function of this name outside all others."""
    return name in _functions_of(module)


class _Files:
    """What was read of files during one look; a module's code is large, so it is not kept longer."""

    codes: dict[Any, Any] = {}  # name of the module -> {name of the code: [code objects]}
    functions: dict[Any, Any] = {}


def forget() -> None:
    _Files.codes, _Files.functions = {}, {}


def _functions_of(name: str) -> Any:
    if name not in _Files.functions:
        whole = _compiled(name)
        _Files.functions[name] = {one.co_name for one in _inside(whole) if one.co_flags & 1} if whole else set()
    return _Files.functions[name]


def _codes_of(name: Any) -> Any:
    if name not in _Files.codes:
        found: dict[Any, Any] = {}
        left = [_compiled(name)]
        while left:
            for one in _inside(left.pop()):
                found.setdefault(one.co_name, []).append(one)
                left.append(one)
        _Files.codes[name] = found
    return _Files.codes[name]


def _inside(code: Any) -> list[Any]:
    return [one for one in code.co_consts if type(one) is types.CodeType] if code else []


def _compiled(name: Any) -> Any:
    spec: Any = getattr(sys.modules.get(name), "__spec__", None)
    try:
        return spec.loader.get_code(spec.name)
    except Exception:  # a library without its files: nothing can be said of it
        return None
