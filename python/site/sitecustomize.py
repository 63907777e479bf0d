"""Start of flatout inside an observed Python process.

This folder stands first in PYTHONPATH, so every Python of the run executes this
file at start-up. It leaves sys.path at once, sees that the program's own
sitecustomize runs as it would have, and waits for `import torch`; only then is
anything else loaded. It must parse on every Python, Python 2 included, and
stays silent where the hooks cannot work.
"""
import sys


def _leave_path(here):
    import os

    def is_ours(entry):
        try:
            return bool(entry) and os.path.realpath(entry) == here
        except (TypeError, ValueError):
            return False

    sys.path[:] = [entry for entry in sys.path if not is_ours(entry)]
    for entry in list(sys.path_importer_cache):
        if is_ours(entry):
            del sys.path_importer_cache[entry]


class _TorchFinder(object):
    """Waits on sys.meta_path for the first import of torch, then goes away."""

    def __init__(self, root):
        self.root = root

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or path is not None:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                break
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)  # not found this time; perhaps later
            return spec
        _arm(self.root, spec.loader)
        return spec


def _arm(root, loader):
    """Let the hooks run when `loader` has executed torch."""
    try:
        hooks = _load_hooks(root)
        hooks.after_import(loader)
    except Exception as error:  # the program must run in any case
        _say("no hooks: %s: %s" % (type(error).__name__, error))


def _load_native(root):
    import os
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from importlib.util import module_from_spec

    path = os.path.join(root, "_native.abi3.so")
    loader = ExtensionFileLoader("_native", path)
    native = module_from_spec(ModuleSpec("_native", loader, origin=path))
    loader.exec_module(native)
    return native


def _load_hooks(root):
    """Import hooks/*.py and the native module, and leave no trace in sys.modules."""
    import os
    from importlib.util import module_from_spec, spec_from_file_location

    native = _load_native(root)
    package = "_flatout_hooks"
    folder = os.path.join(root, "hooks")
    spec = spec_from_file_location(
        package, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    hooks = module_from_spec(spec)
    sys.modules[package] = hooks
    sys.modules[package + "._native"] = native
    try:
        spec.loader.exec_module(hooks)
    finally:
        for name in list(sys.modules):
            if name == package or name.startswith(package + "."):
                del sys.modules[name]
    return hooks


def _say(text):
    import os

    if not os.environ.get("FLATOUT_QUIET"):
        try:
            os.write(2, ("flatout: %s; the program runs on unobserved\n" % text).encode("utf-8", "replace"))
        except OSError:
            pass


def _start():
    import os

    here = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    _leave_path(here)
    if sys.version_info < (3, 9) or not os.environ.get("FLATOUT_RING_DIR"):
        return
    sys.meta_path.insert(0, _TorchFinder(os.path.dirname(here)))
    if os.environ.get("FLATOUT_TRIAL_WRITES"):  # of every Python of a trial, with torch or without
        _load_native(os.path.dirname(here)).watch_writes()


def _run_the_programs_own():
    """Import the sitecustomize that this file hides, with the same outcome as without us."""
    ours = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        if "sitecustomize" not in sys.modules and ours is not None:
            sys.modules["sitecustomize"] = ours


try:
    _start()
except Exception as _error:
    _say("no hooks: %s" % (_error,))
_run_the_programs_own()
