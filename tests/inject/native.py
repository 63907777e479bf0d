"""Loads the native module as sitecustomize does, with a ring of its own."""

import tempfile
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec

from hooked import library

PHASE, FORWARD, NEXT, ITER_BUILD, FETCH, STAGE, COMPOSE, CALLBACK, DEVICE_CALL = range(9)
SCOPED, DEVICE_TO, DEVICE_CUDA = 10, 13, 14
NUMBER = {name: i for i, name in enumerate(
    ("other", "data_wait", "h2d", "forward", "backward", "optimizer", "comm", "sync", "checkpoint", "iter_build"))}  # fmt: skip


def load():
    path = str(library() / "_native.abi3.so")
    loader = ExtensionFileLoader("_native", path)
    module = module_from_spec(ModuleSpec("_native", loader, origin=path))
    loader.exec_module(module)
    return module


def load_with_ring(identify=lambda: None):
    """(module, folder of its ring). Once a process: the module is a singleton."""
    module = load()
    folder = tempfile.mkdtemp()
    module.configure(folder, True, 0, identify, lambda: None)
    return module, folder
