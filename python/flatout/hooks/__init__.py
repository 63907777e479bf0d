"""The hooks, loaded when the program has imported a framework that sitecustomize waits for.

Rules that all of them keep: nothing is attached to an object of the user's,
nothing runs per submodule, nothing is pickled, no Python frame of ours stands
between two frames of the program, and an error of ours never reaches it.

core/ needs no framework, torch/ is PyTorch's, trial/ is loaded in trials alone, knobs/ with a plan.
"""

from __future__ import annotations

import os

from . import _native as native
from .core import failure
from .frameworks import load_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

_problems: list[Any] = []
_classes = {}


def load(name: str) -> None:
    """Bring in the hooks for the framework of this name, while this package stands in sys.modules. KeyError of one without hooks."""
    _classes[name] = load_class(name)


def install(name: str, framework: ModuleType, used: Callable[[], float | None] = lambda: None) -> None:
    """Put every hook for a framework that was loaded by name in place; each that fails is reported and left out. used() is called when this
    process first uses it to load data or to train, and gives the seconds that its imports took, or None."""
    hooked = _classes[name](native, framework, _problems)
    native.configure(
        os.environ["FLATOUT_RING_DIR"],
        bool(os.environ.get("FLATOUT_QUIET")),
        _positive_int(os.environ.get("FLATOUT_STOP_AFTER")),
        hooked.worker_id,
        lambda: hooked.opened(used(), _problems),
        _in_trial(),
        failure.quiet_interrupt,
    )
    hooked.prepare()
    for part, *needs in hooked.parts(_in_trial()):
        try:
            part.install(native, framework, *needs)
        except Exception as error:
            _problems.append("hooks for %s are missing: %s: %s" % (part.__name__.rpartition(".")[2], type(error).__name__, error))

    _say_attached()
    hooked.attached()


def _say_attached() -> None:
    """For flatout, which sees that the framework is loaded and would otherwise take silence for hooks that are missing. A ring would
    do it, too, but takes memory in processes that never train."""
    try:
        os.close(os.open(os.path.join(os.environ["FLATOUT_RING_DIR"], "attached"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError:  # then flatout may blame itself wrongly, which harms nobody
        pass


def _in_trial() -> bool:
    return os.environ.get("FLATOUT_TRIAL") == "1"


def _positive_int(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0
