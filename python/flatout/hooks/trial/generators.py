"""Random generators of a dataset's own, of which each worker would get a copy.

Found where programs keep them: in the attributes of the dataset, of what lies in
these (a transform, a wrapped dataset, lists of them) and so on down to _LEVELS, in
the closures of functions met there, and among the globals that methods name. Only
dictionaries are read: no code of the program's runs. One that a C extension or
the frame of a running __iter__ holds is not found.
"""

from __future__ import annotations

import random
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_LEVELS = 6  # Subset, dataset, Compose, its list, a transform, its generator
_MOST_OBJECTS = 512
_MOST_GENERATORS = 16
_MOST_ITEMS = 64  # of one list, dict or object
_METHODS = ("__getitem__", "__getitems__", "__iter__", "__call__", "forward")


def generators_of(torch: ModuleType, *roots: Any) -> Any:
    """Those that `roots` hold, without the global ones; each once."""
    numpy_random: Any = sys.modules.get("numpy.random")
    names = ("Generator", "RandomState")
    kinds = (torch.Generator, random.Random, *(getattr(numpy_random, name) for name in names if numpy_random))
    one_for_all = (torch.default_generator, random._inst, getattr(numpy_random, "mtrand", None) and numpy_random.mtrand._rand)
    found: list[Any] = []
    seen, level = {id(one) for one in one_for_all}, list(roots)
    for _ in range(_LEVELS):
        below = []
        for one in level:
            if id(one) in seen or len(seen) >= _MOST_OBJECTS or len(found) >= _MOST_GENERATORS:
                continue
            seen.add(id(one))
            if issubclass(type(one), kinds):
                found.append(one)
            else:
                below += _held_by(one, kinds)
        level = below
    return found


def state_of(torch: ModuleType, generator: Any) -> Any:
    """What changes when it draws, for same(); None where that cannot be known."""
    if isinstance(generator, random.SystemRandom):
        return None
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, torch.Generator):
        return generator.get_state() if generator.device.type == "cpu" else None
    bits = getattr(generator, "bit_generator", None)
    return _comparable(generator.get_state(legacy=False) if bits is None else bits.state)


def same(torch: ModuleType, state: Any, other: Any) -> Any:
    return torch.equal(state, other) if isinstance(state, torch.Tensor) else state == other


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return {key: _comparable(value) for key, value in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state


def _held_by(one: Any, kinds: Any) -> Any:
    kind = type(one)
    if kind in (list, tuple):
        return list(one[:_MOST_ITEMS])
    if kind is dict:
        return list(one.values())[:_MOST_ITEMS]
    if kind.__name__ == "function":
        return _held_by_function(one, kinds)
    if kind.__module__ in ("builtins", "numpy", "torch"):
        return []  # numbers, texts, classes, modules, arrays, tensors
    try:
        held = list(object.__getattribute__(one, "__dict__").values())[:_MOST_ITEMS]
    except AttributeError:
        held = []
    for name in _METHODS:
        method = next((above.__dict__[name] for above in kind.__mro__ if name in above.__dict__), None)
        if type(method).__name__ == "function":
            held += _held_by_function(method, kinds)
    return held


def _held_by_function(function: Any, kinds: Any) -> Any:
    """What its closure holds, and the generators among the globals that it names."""
    names = function.__globals__
    held = [names.get(name) for name in function.__code__.co_names]
    held = [one for one in held if issubclass(type(one), kinds)]
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # empty so far
            pass
    return held
