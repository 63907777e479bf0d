"""The tee on the real client of Neptune. Its service has ended: offline and debug modes still work, and so does a server of one's own."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from flatout.capture.tee import after
from flatout.track.neptune import Run
from flatout.track.neptune_files import File

__all__ = ["patch"]

_runs: WeakKeyDictionary[Any, Run] = WeakKeyDictionary()
_ARGUMENTS = ("custom_run_id", "project", "name", "description", "tags", "monitoring_namespace", "fail_on_exception")


def patch(module: Any) -> None:
    if hasattr(module, "Handler") and module.__name__.endswith("handler"):
        for name in ("assign", "append", "extend", "log", "add", "remove", "upload", "upload_files", "pop"):
            after(module.Handler, name, _forwarded(name))
    else:
        after(module.Run, "__init__", _begun)
        for kind in module.Run.__mro__:
            if "stop" in kind.__dict__:
                after(kind, "stop", _stopped)
                break


def _begun(_: Any, run: Any, with_id: Any = None, *__: Any, **given: Any) -> None:
    wanted = {name: given[name] for name in _ARGUMENTS if given.get(name) is not None}
    _runs[run] = Run(with_id, **wanted)


def _forwarded(name: str) -> Any:
    def record(_: Any, handler: Any, *args: Any, **kwargs: Any) -> None:
        run = _runs.get(getattr(handler, "_container", None))
        if run is not None:
            kwargs.pop("wait", None)
            getattr(run[handler._path], name)(*[_ours(one) for one in args], **kwargs)

    return record


def _ours(value: Any) -> Any:
    """A File of Neptune's as one of ours; all else is taken as it is."""
    if type(value).__name__ != "File" or not type(value).__module__.startswith("neptune."):
        return value
    try:
        return File(value.path)
    except Exception:  # one of content has no path, and says so by an exception of Neptune's
        return File.from_content(value.content, value.extension)


def _stopped(_: Any, run: Any, *__: Any, **___: Any) -> None:
    ours = _runs.pop(run, None)
    if ours is not None:
        ours.stop()
