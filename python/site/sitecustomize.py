"""Start of flatout inside an observed Python process.

This folder stands first in PYTHONPATH, so every Python of the run executes this
file at start-up. It leaves sys.path at once, sees that the program's own
sitecustomize runs as it would have, and waits for a framework with the help of the native
module; only then are the hooks loaded. It must parse on every Python, Python 2 included, and
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


# What flatout has hooks for (hooks/frameworks.py), each with two names that its package has once it was executed.
_FRAMEWORKS = (("torch", "Tensor", "nn"),)


class _Framework(object):
    """Waits until a framework has been executed, however it gets into the process; the first that comes is observed.

    Nothing of the import system is replaced or added: the native module stands in front
    of two functions of importlib, which stay the objects that they are. It leaves one when
    it has come, and the other, which times imports, when it is first used. A spec that
    the program asks for is never touched.
    """

    _IMPORT = 11  # SpanMode::kImport

    def __init__(self, root, native):
        self.root = root
        self.native = native
        self.spans = []
        self.attached = False

    def wait(self):
        self.look((), None)  # a .pth file may have imported it before this file ran
        if self.attached:
            return
        files = sys.modules["_frozen_importlib_external"]
        places = (
            (sys.modules["_frozen_importlib"], "_find_and_load"),  # each import, by whatever loader
            (files._LoaderBasics, "exec_module"),  # a spec that is executed by the program, now or when first used
        )
        for holder, name in places:
            self.spans.append((holder, name, getattr(holder, name), self.native.hook(holder, name, self._IMPORT, after=self.look)))

    def look(self, args, _result):
        if self.attached:
            return
        try:
            for name, first, second in _FRAMEWORKS:
                if not self._is_there(args, name, first, second):
                    continue
                self.attached = True
                self._leave(1)
                _load_hooks(self.root, self.native, name).install(name, sys.modules[name], self.used)
                return
        except Exception as error:  # the program must run in any case
            self.attached = True
            _say("no hooks: %s: %s" % (type(error).__name__, error))

    def _is_there(self, args, name, first, second):
        """Past lazy modules, which a look at an attribute would load."""
        module = sys.modules.get(name)
        if module is None:
            return False
        names = object.__getattribute__(module, "__dict__")
        if first not in names or second not in names:
            return False
        executed = len(args) > 1 and args[1] is module
        if not executed and getattr(names.get("__spec__"), "_initializing", False):
            return False
        return not _is_running(names)

    def used(self):
        """Seconds that imports took until now, None where they were not timed from the start on."""
        if not self.spans:
            return None
        self._leave(0)
        return self.native.import_seconds()

    def _leave(self, first):
        for holder, name, was, span in self.spans[first:]:
            if not self.native.unhook(span) and getattr(holder, name) is span:
                setattr(holder, name, was)
        del self.spans[first:]


def _is_running(names):
    """True while a thread executes the module whose names these are."""
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_globals is names and frame.f_code.co_name == "<module>":
                return True
            frame = frame.f_back
    return False


def _load_native(root, name="_native"):
    """With what every Python has at its start: sys.modules stays as it is."""
    import os

    importlib, files = sys.modules["_frozen_importlib"], sys.modules["_frozen_importlib_external"]
    path = os.path.join(root, name + ".abi3.so")
    loader = files.ExtensionFileLoader(name, path)
    native = importlib.module_from_spec(importlib.ModuleSpec(name, loader, origin=path))
    loader.exec_module(native)
    return native


def _load_hooks(root, native, framework):
    """Import hooks/ for a framework, and leave no trace in sys.modules."""
    import os
    from importlib.util import module_from_spec, spec_from_file_location

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
        hooks.load(framework)
    finally:
        for name in list(sys.modules):
            if name == package or name.startswith(package + "."):
                del sys.modules[name]
    return hooks


def _capture(root, names):
    """What --capture asks for. Our packages stand last, so that whatever is installed is found before them."""
    import os

    packages = os.path.join(root, "packages")
    try:
        if packages not in sys.path:
            sys.path.append(packages)
        from flatout.capture import install

        install(names, root)
    except Exception as error:
        _say("no capture: %s: %s" % (type(error).__name__, error))


def _record_output(root, files):
    """What --record-output asks for: of this process, and of those that it forks."""
    import os

    try:
        _load_native(root, "_track").record_output(os.path.join(os.path.dirname(files), "output"), True, True)
    except Exception as error:
        _say("no output is recorded: %s: %s" % (type(error).__name__, error))


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
    root = os.path.dirname(here)
    if os.environ.get("FLATOUT_OUTPUT") and os.environ.get("FLATOUT_TRACK_FILES"):
        _record_output(root, os.environ["FLATOUT_TRACK_FILES"])
    if os.environ.get("FLATOUT_CAPTURE"):
        _capture(root, os.environ["FLATOUT_CAPTURE"].split(","))
    try:
        native = _load_native(root)
    except ImportError:  # an interpreter of its own kind; flatout says so if a framework is used in it
        return
    if not native.is_first_interpreter():
        return
    _Framework(root, native).wait()
    if os.environ.get("FLATOUT_TRIAL_WRITES"):  # of every Python of a trial, with torch or without
        native.watch_writes()


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
