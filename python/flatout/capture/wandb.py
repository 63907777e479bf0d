"""The tee on the real wandb."""

from __future__ import annotations

import os
import sys
from typing import Any
from weakref import WeakKeyDictionary

from flatout.capture.tee import after, mirror
from flatout.track import media
from flatout.track._run import Run
from flatout.track.errors import say_once
from flatout.track.plain import plain
from flatout.track.settings import Settings

__all__ = ["patch"]

_mirrors: WeakKeyDictionary[Any, Run] = WeakKeyDictionary()
_MEDIA = {"Image": "image", "Video": "video", "Audio": "audio", "Html": "html"}


def patch(wandb: Any) -> None:
    """Behind init, and behind the methods of its Run."""
    module = sys.modules.get("wandb.sdk.wandb_run") or sys.modules.get("wandb.wandb_run")
    kind = getattr(module, "Run", None) or getattr(wandb, "Run")
    after(wandb, "init", lambda run, *_, **__: _begin(wandb, run))
    # Everything goes through _log, that of watch() too; `log` itself where a version has no such method.
    if not after(kind, "_log", _logged):
        after(kind, "log", _logged)
    for name, record in (("define_metric", _defined), ("alert", _alerted), ("save", _saved), ("log_artifact", _artifact), ("finish", _finished),
                         ("_config_callback", _configured), ("_summary_update_callback", _summarised)):
        after(kind, name, record)


def _begin(wandb: Any, run: Any) -> None:
    if run is None or run in _mirrors:
        return
    if getattr(run, "disabled", False):
        if os.environ.get("FLATOUT_TRIAL"):
            _follow_in_trial(wandb, run)
        return
    console = Settings(console=getattr(getattr(run, "settings", None), "console", None))
    out = mirror("wandb", console, id=run.id, id_given=True, name=run.name, project=run.project, entity=run.entity, notes=run.notes,
                 tags=tuple(run.tags or ()), group=run.group, job_type=run.job_type, mode="offline" if run.offline else "online",
                 resumed=bool(run.resumed), **_branch_of(run))
    _mirrors[run] = out
    out._syncs_tensorboard = bool(getattr(getattr(run, "settings", None), "sync_tensorboard", None))
    out.config._set({key: value for key, value in dict(run.config).items() if key != "_wandb"}, True)


def _branch_of(run: Any) -> dict[str, Any]:
    """What fork_from or resume_from asked for."""
    for name, branch in (("resume_from", "rewind"), ("fork_from", "fork")):
        moment = getattr(getattr(run, "settings", None), name, None)
        parent = getattr(moment, "run", None)
        step = getattr(moment, "value", None)
        if parent and isinstance(step, (int, float)):
            return {"branch": branch, "branch_from": str(parent), "from_step": int(step)}
    return {}


def _follow_in_trial(wandb: Any, run: Any) -> None:
    """A trial has WANDB_MODE=disabled, where a run has a `log` of its own; what it is given may be the trial's loss or objective."""
    out = mirror("wandb", id=run.id, mode="disabled")
    after(run, "log", lambda _, data=None, step=None, commit=None, **__: out.log(data, step, commit))
    if getattr(wandb, "run", None) is run:  # which has its method already
        wandb.log = run.log


def _logged(_: Any, run: Any, data: Any, step: Any = None, commit: Any = None, sync: Any = None) -> None:
    out = _mirrors.get(run)
    if out is not None and isinstance(data, dict):
        out.log({key: _ours(value) for key, value in data.items()}, step, commit)


def _ours(value: Any) -> Any:
    """A value of wandb's as one of ours. Its file lies where the real run has put it."""
    kind = type(value).__name__
    if isinstance(value, (list, tuple)):
        return [_ours(one) for one in value]
    if not type(value).__module__.startswith("wandb."):
        return value
    if kind == "Histogram":
        return media.Histogram(np_histogram=(value.histogram, value.bins))
    if hasattr(value, "columns") and hasattr(value, "data"):
        return media.Table(columns=list(value.columns), data=[[_ours(cell) for cell in row] for row in value.data])
    path = getattr(value, "_path", None)
    if path:
        out = media.Media(str(path), getattr(value, "_caption", None))
        out.kind = _MEDIA.get(kind, "file")
        return out
    return plain(value)


def _defined(_: Any, run: Any, *args: Any, **kwargs: Any) -> None:
    if run in _mirrors:
        _mirrors[run].define_metric(*args, **kwargs)


def _alerted(_: Any, run: Any, *args: Any, **kwargs: Any) -> None:
    if run in _mirrors:
        _mirrors[run].alert(*args, **kwargs)


def _saved(_: Any, run: Any, *args: Any, **kwargs: Any) -> None:
    if run in _mirrors:
        _mirrors[run].save(*args, **kwargs)


def _artifact(result: Any, run: Any, artifact_or_path: Any, name: Any = None, type: Any = None, aliases: Any = None, *_: Any, **__: Any) -> None:
    """Its name and files as the real artifact has them."""
    out = _mirrors.get(run)
    if out is None:
        return
    from flatout.track.artifact import Artifact

    manifest = getattr(result, "manifest", None)
    copy = Artifact(str(getattr(result, "name", name) or "artifact").partition(":")[0], str(getattr(result, "type", type) or ""),
                    getattr(result, "description", None), getattr(result, "metadata", None))
    for path, entry in dict(getattr(manifest, "entries", {}) or {}).items():
        try:
            local = getattr(entry, "local_path", None)
            if local:
                copy.add_file(str(local), str(path), policy="immutable")
            else:
                copy.add_reference(str(getattr(entry, "ref", "") or ""), str(path))
        except ValueError as error:  # early versions of wandb took names that lead elsewhere
            say_once(f"log_artifact: {path} is left out: {error}")
    out.log_artifact(copy, aliases=aliases)


def _configured(_: Any, run: Any, key: Any = None, val: Any = None, data: Any = None) -> None:
    out = _mirrors.get(run)
    if out is None:
        return
    changes = dict(data) if isinstance(data, dict) else {}
    if key is not None:
        changes[".".join(key) if isinstance(key, tuple) else str(key)] = val
    out.config._set({name: value for name, value in changes.items() if name != "_wandb"}, True)


def _summarised(_: Any, run: Any, record: Any) -> None:
    out = _mirrors.get(run)
    if out is None:
        return
    changes = {".".join(item.key) if isinstance(item.key, tuple) else str(item.key): item.value for item in getattr(record, "update", ())}
    out.summary.update({key: _ours(value) for key, value in changes.items()})


def _finished(_: Any, run: Any, exit_code: Any = None, *__: Any, **___: Any) -> None:
    out = _mirrors.pop(run, None)
    if out is not None:
        out.finish(exit_code)
