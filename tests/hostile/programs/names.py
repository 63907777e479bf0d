"""Loads the hooks and holds every name that they hook against what it was: printed are how many, and each that differs.

What their tables name and is not installed is made up, one function each, so that no entry goes unseen.
"""

import copy
import importlib.util
import inspect
import json
import os
import pickle
import random
import shutil
import sys
import types
from pathlib import Path

import numpy
import numpy.random
import eager  # noqa: F401
import PIL.Image
import PIL.ImageFile
import torch
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "inject"))
from hooked import library
from native import load

LOADED_BEFORE = {name: value for name, value in (
    ("torch.load", torch.load), ("torch.serialization.load", torch.serialization.load), ("torch.save", torch.save),
    ("numpy.load", numpy.load), ("PIL.Image.open", PIL.Image.open), ("Module.__call__", torch.nn.Module.__call__),
    ("Module._wrapped_call_impl", torch.nn.Module._wrapped_call_impl), ("ImageFile.load", PIL.ImageFile.ImageFile.load),
    ("Tensor.to", torch.Tensor.to), ("TensorBase.to", torch._C.TensorBase.to), ("Tensor.item", torch.Tensor.item),
    ("random.seed", random.seed), ("numpy.random.seed", numpy.random.seed), ("os.rename", os.rename), ("shutil.rmtree", shutil.rmtree))}  # fmt: skip


def made_up(module, owner, name):
    """module.owner.name, as a library would define it."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        there = sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
        if end > 1:
            setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], there)
    lines = f"def {name}(*args, **kwargs):\n    'Made up.'\n    return args, kwargs\n"
    if owner:
        lines = f"class {owner}:\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    if owner and hasattr(sys.modules[module], owner):  # two names of one class
        space = {"__name__": module}
        exec(lines, space)
        setattr(getattr(sys.modules[module], owner), name, vars(space[owner])[name])
    elif not hasattr(sys.modules[module], owner or name):
        exec(lines, sys.modules[module].__dict__)


def attempt(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


def looks(function):
    names = ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__wrapped__", "__objclass__")
    return {
        "hash": attempt(lambda: hash(function)), "repr": repr(function), "class": function.__class__.__qualname__,
        "signature": str(attempt(lambda: inspect.signature(function))), "source": attempt(lambda: inspect.getsource(function)),
        "file": attempt(lambda: inspect.getsourcefile(function)), "callable": callable(function),
        **{f"inspect.{kind}": getattr(inspect, kind)(function) for kind in ("isfunction", "isbuiltin", "isroutine", "ismethoddescriptor")},
        **{name: repr(getattr(function, name, "absent")) for name in names},
        **{f"pickle {p}": attempt(lambda: pickle.dumps(function, p).hex()) for p in range(pickle.HIGHEST_PROTOCOL + 1)},
        "python pickle": attempt(lambda: pickle._dumps(function).hex()), "dict": repr(getattr(function, "__dict__", None)),
        "loads": attempt(lambda: pickle.loads(pickle.dumps(function)) == function),
        "copy": attempt(lambda: copy.copy(function) is function), "deepcopy": attempt(lambda: copy.deepcopy(function) is function),
    }  # fmt: skip


def differences(holder, name, before, function):
    now = getattr(holder, name)
    after = looks(now)
    found = {key: (before[key], after[key]) for key in before if after[key] != before[key]}
    for same, holds in (("is", now is function), ("==", now == function and function == now), ("in a set", attempt(lambda: now in {function}))):
        if not holds:
            found[same] = False
    old = looks(function)  # in the hands of whoever bound it before
    found.update({f"bound before: {key}": (before[key], old[key]) for key in before if old[key] != before[key]})
    return found


def main():
    native, results = load(), []
    hook = native.hook

    def recorded(holder, name, *args, **kwargs):
        function = getattr(holder, name)
        before = looks(function)
        span = hook(holder, name, *args, **kwargs)
        results.append((holder, name, before, function))
        return span

    native.hook = recorded
    os.environ["FLATOUT_RING_DIR"] = sys.argv[1]
    site = importlib.util.spec_from_file_location("flatout_site", library() / "site/sitecustomize.py")
    customize = importlib.util.module_from_spec(site)
    ring = os.environ.pop("FLATOUT_RING_DIR")  # so that it does not start by itself
    site.loader.exec_module(customize)
    os.environ["FLATOUT_RING_DIR"] = ring
    hooks = customize._load_hooks(str(library()), native, "torch")
    readers, trainers = hooks.core.readers, hooks.torch.trainers
    tables = [entry[:3] for entry in (*readers._READERS, *trainers._CHECKPOINTS, *trainers._BEGINS)]
    for entry in tables:
        if entry[0] not in sys.modules:
            made_up(*entry)
        elif not hasattr(sys.modules[entry[0]], entry[1] or entry[2]) or (entry[1] and not hasattr(getattr(sys.modules[entry[0]], entry[1]), entry[2])):
            made_up(*entry)
    torch.version.cuda = torch.version.cuda or "12"  # hooks of CUDA's names, as in a build for it
    hooks.install("torch", torch)
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    list(DataLoader(TensorDataset(torch.zeros(4, 1)), batch_size=2))
    seen = {(getattr(holder, "__module__", None) or holder.__name__, getattr(holder, "__name__", ""), name) for holder, name, *_ in results}
    hooked = {(getattr(sys.modules[m], owner) if owner else sys.modules[m], name) for m, owner, name in tables}
    missing = [str(entry) for entry in hooked if not any(entry[0] is holder and entry[1] == name for holder, name, *_ in results)]
    found = {f"{holder!r}.{name}": d for holder, name, before, function in results if (d := differences(holder, name, before, function))}
    bound = {name: attempt(lambda f=function: pickle.loads(pickle.dumps(f)) == f) for name, function in LOADED_BEFORE.items() if name != "random.seed"}
    same = [name for name, was in LOADED_BEFORE.items() if name.partition(".")[0] in ("random", "os", "shutil") and eval(name) != was]
    print(json.dumps({"names": len(seen), "found": found, "missing": missing, "bound": bound, "same": same, "problems": hooks._problems}))


main()
