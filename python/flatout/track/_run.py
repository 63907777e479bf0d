"""A tracked run: what init returns. Its methods are wandb's, and none of them raises over what it cannot keep."""

from __future__ import annotations

import glob
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flatout.track import _console, state
from flatout.track._resume import STEP_KEY, earlier_run, remember
from flatout.track.artifact import Artifact
from flatout.track.channel import Channel, closed_channel, open_channel, trial_channel
from flatout.track._config import Config, Summary
from flatout.track.errors import UnsupportedError, say, say_once
from flatout.track.media import cell_of
from flatout.track.plain import flat, key_of, number, pieces, plain, text_of
from flatout.track.settings import Asked, Settings

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Metric", "Run"]

MAX_CODE_FILES = 100_000
_NUMBERS = frozenset((float, int, bool))


class Metric:
    """What define_metric returns."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


class Run:
    """One run of a tracker. Any thread may log; two that leave the step to it may get the same one."""

    def __init__(self, asked: Asked, source: str = "wandb", settings: Settings | None = None) -> None:
        self._asked = asked
        self._source = source
        self._settings = settings or Settings()
        # A trial of `flatout tune` or `search` trains, and is thrown away: it has numbers, for losses and objectives, and no tracked run.
        trial = bool(os.environ.get("FLATOUT_TRIAL"))
        self._disabled = asked.mode == "disabled" or trial
        # Looked for before this one is recorded, so that it does not find itself.
        looks = source == "wandb" and not self._disabled and (asked.resumed or asked.resume == "never")
        self._earlier = earlier_run(asked.id) if looks and asked.id_given else None
        asked.check(self._earlier is not None and not self._disabled, looks)
        self._channel: Channel = trial_channel() if trial and not asked.off else closed_channel() if self._disabled else open_channel(asked.name)
        self._values = self._channel.values
        self._track = self._channel.track
        self._starting_step = 0 if self._earlier is None else self._earlier.step if asked.from_step is None else asked.from_step + 1
        self._step = self._starting_step
        self._last = self._starting_step - 1  # of those that were given a step, or left it open
        self._finished = False
        self._said_lower = False
        self._latest: dict[str, Any] = {}
        self._start_time = time.time()
        self._watched: list[Any] = []
        self._saved: dict[str, tuple[str, float, int]] = {}
        self._own_dir: str | None = None
        self._alerts: dict[str, float] = {}
        self._attach_id = asked.id
        self.config = Config(self._send_config)
        self.summary = Summary(self._latest, lambda changes: self._fact("track_summary", {"set": changes}))
        self._announce()
        if self._earlier is not None:
            self._latest.update(self._earlier.summary)
            self.config._set(self._earlier.config, True)
        if source in ("wandb", "neptune") and not self._disabled:
            _console.begin(self, self._channel.recording, self._settings.output or _console.wanted(self._settings))
        state.open_runs.append(self)

    # what others know of it

    def _fact(self, key: str, body: Mapping[str, Any]) -> None:
        if self._disabled or self._finished:
            return
        self._channel.fact(key, body)

    def _announce(self) -> None:
        asked = self._asked
        self._fact("track_run", {
            "source": self._source, "id": asked.id, "project": plain(asked.project or ""), "entity": plain(asked.entity or ""),
            "name": plain(asked.name or ""), "group": plain(asked.group or ""), "job_type": plain(asked.job_type or ""),
            "tags": plain(list(asked.tags)), "notes": plain(asked.notes or ""), "namespace": plain(asked.namespace or ""),
            "mode": asked.mode, "resumed": asked.resumed})

    def _send_config(self, changed: dict[str, Any], removed: list[str]) -> None:
        if removed:
            self._fact("track_config", {"remove": removed})
        for piece in pieces(changed) if changed else ():
            self._fact("track_config", {"set": piece})

    def _shown(self) -> dict[str, Any]:
        """What a module shows of the global run."""
        return {"run": self, "config": self.config, "summary": self.summary, **{name: getattr(self, name) for name in (
            "log", "save", "use_artifact", "log_artifact", "define_metric", "alert", "mark_preempting", "log_model", "use_model", "link_model",
            "watch", "unwatch")}}

    # logging

    def log(self, data: dict[str, Any], step: int | None = None, commit: bool | None = None, sync: Any = None) -> None:
        """Everything is written at once, at the current step; the step goes on unless step or commit=False are given."""
        if step is None and commit is None and type(data) is dict and _NUMBERS.issuperset(map(type, data.values())):
            at = self._step
            self._step = at + 1
            self._latest.update(data)
            try:
                left = self._values(self._track, at, data)
            except Exception:  # it never raises; a training must not end where it does
                left = data
            if left:
                self._try_write(left, at)
        else:
            self._log_at(data, step, commit)

    def _log_at(self, data: Any, step: Any, commit: bool | None) -> None:
        at = self._step if step is None else self._step_of(step)
        self._last = max(self._last, at)
        self._try_write(data, at)
        if (commit or (commit is None and step is None)) and at == self._step:
            self._step += 1

    def _try_write(self, data: Any, at: int) -> None:
        try:
            self._write(data, at)
        except Exception as error:
            say_once(f"log: not kept: {type(error).__name__}: {text_of(error, 300)}", f"log {type(error).__name__}")

    def _step_of(self, step: Any) -> int:
        """The step of this call. A lower one than before is kept where it is, as its values are worth more than their order."""
        given = number(step)
        if given is None or not -(1 << 62) < given < 1 << 62:
            say_once(f"log: step={text_of(step, 60)} is none; the current one is taken", "step")
            return self._step
        at = int(given)
        if at >= self._step:
            self._step = at
        elif not self._said_lower:
            self._said_lower = True
            say(f"step {at} after step {self._step}: kept at step {at} (wandb drops it); further ones are not mentioned")
        return at

    def _write(self, data: Any, at: int) -> None:
        if self._finished:
            say_once(f"run {self.id} is finished: what is logged to it is not kept; call init() for another", f"finished {self.id}")
            return
        if not isinstance(data, Mapping):
            say_once(f"log takes a dictionary, not {type(data).__name__}; the call is ignored", "no dictionary")
            return
        numbers: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for key, value in flat(data).items():
            one = number(value)
            (rest if one is None else numbers)[key] = value if one is None else one
        self._latest.update(numbers)
        if numbers:
            left = self._values(self._track, at, numbers)
            if left:
                rest.update({key_of(key): value for key, value in left.items()})
        if rest and not self._disabled:
            self._log_rest(rest, at)

    def _log_rest(self, rest: Mapping[str, Any], at: int) -> None:
        row = {key: cell_of(value, self._channel) for key, value in rest.items() if value is not None}
        if not row:
            return
        self._latest.update(row)
        for piece in pieces(row):
            self._fact("track_row", {"step": at, "data": piece})

    def define_metric(self, name: str, step_metric: Any = None, step_sync: bool | None = None, hidden: bool | None = None,
                      summary: str | None = None, overwrite: bool | None = None, goal: str | None = None) -> Metric:
        body = {"name": key_of(name), "step_metric": text_of(getattr(step_metric, "name", step_metric) or "", 512),
                "step_sync": bool(step_sync), "hidden": bool(hidden), "summary": text_of(summary or "", 64), "goal": text_of(goal or "", 64)}
        self._fact("track_metric", {key: value for key, value in body.items() if key == "name" or value})
        return Metric(**body)

    def watch(self, models: Any, criterion: Any = None, log: str | None = "gradients", log_freq: int = 1000, idx: int | None = None,
              log_graph: bool = False) -> None:
        from flatout.track._watch import Watch

        if self._disabled or log is None:
            return
        for at, model in enumerate(models if isinstance(models, (list, tuple)) else [models]):
            if any(watched.model is model for watched in self._watched):
                continue
            try:
                prefix = f"graph_{at + (idx or 0)}" if at + (idx or 0) else ""
                self._watched.append(Watch(model, log, log_freq, prefix, lambda row: self.log(row, commit=False)))
            except Exception as error:
                say_once(f"watch: {type(model).__name__} is not watched: {type(error).__name__}: {error}", "watch")

    def unwatch(self, models: Any = None) -> None:
        chosen = None if models is None else models if isinstance(models, (list, tuple)) else [models]
        for watched in list(self._watched):
            if chosen is None or any(watched.model is model for model in chosen):
                watched.close()
                self._watched.remove(watched)

    def alert(self, title: str, text: str = "", level: Any = None, wait_duration: Any = None) -> None:
        seconds = getattr(wait_duration, "total_seconds", lambda: wait_duration)()
        now = time.monotonic()
        pause = number(seconds) if seconds is not None else 60
        if now - self._alerts.get(title, -1e9) < (60 if pause is None else pause):
            return
        self._alerts[title] = now
        named = text_of(getattr(level, "value", level) or "INFO", 16).upper()
        self._fact("track_alert", {"title": text_of(title, 256), "text": text_of(text, 16384),
                                   "level": named if named in ("INFO", "WARN", "ERROR") else "INFO"})

    # files

    def save(self, glob_str: Any = None, base_path: Any = None, policy: str = "live", glob: bool = True) -> Any:
        """Keeps the files now; those of policy "live" and "end" again at finish, if they have changed."""
        if glob_str is None:
            return True
        try:
            return self._save(text_of(os.fspath(glob_str)), base_path, policy, glob)
        except Exception as error:
            say_once(f"save: {type(error).__name__}: {error}", "save")
            return []

    def _save(self, pattern: str, base_path: Any, policy: str, is_pattern: bool) -> list[str]:
        if self._disabled or pattern.startswith(("gs://", "s3://", "http://", "https://")):
            return []
        found = globbed(pattern) if is_pattern else [pattern]
        base = os.path.abspath(os.fspath(base_path)) if base_path else os.path.dirname(os.path.abspath(pattern.split("*")[0] or "."))
        out = []
        for path in found:
            path = os.path.abspath(path)
            if not os.path.isfile(path):
                continue
            inside = os.path.relpath(path, base)
            self._keep_file(path, os.path.basename(path) if inside.startswith("..") else inside, policy != "now")
            out.append(path)
        return out

    def _keep_file(self, path: str, inside: str, again: bool) -> None:
        status = os.stat(path)
        before = self._saved.get(path)
        if before is not None and before[1:] == (status.st_mtime, status.st_size):
            return
        kept = self._channel.file(path, os.path.splitext(path)[1].lstrip("."))
        if kept is not None:
            self._fact("track_file", {"path": inside, "file": kept[0], "bytes": kept[1], "kind": "file"})
        if again:
            self._saved[path] = (inside, status.st_mtime, status.st_size)

    def restore(self, name: str, run_path: str | None = None, replace: bool = False, root: str | None = None) -> Any:
        """Of this process's saved files; those of other runs lie in the store and are not fetched."""
        for path, (inside, _, _) in self._saved.items():
            if inside == name:
                return open(path, encoding="utf-8", errors="replace")
        raise ValueError(f"File {name} not found in run {run_path or self.id}: flatout restores what this process saved; "
                         "files of other runs lie in their folders in the store")

    def log_artifact(self, artifact_or_path: Any, name: str | None = None, type: str | None = None, aliases: Any = None,
                     tags: Any = None, distributed_id: str | None = None) -> Artifact:
        try:
            artifact = artifact_or_path
            if not isinstance(artifact, Artifact):
                path = os.fspath(artifact_or_path)
                artifact = Artifact(name or f"run-{self.id}-{os.path.basename(path.rstrip('/'))}", type or "unspecified")
                if path.startswith(("s3://", "gs://", "http://", "https://", "file://")):
                    artifact.add_reference(path)
                else:
                    (artifact.add_dir if os.path.isdir(path) else artifact.add_file)(path)
            artifact.tags = [*artifact.tags, *(tags or [])]
            if not self._disabled and not self._finished:
                artifact.keep(self._channel, [aliases] if isinstance(aliases, str) else list(aliases or []))
                _logged_artifacts.append(artifact)
            return artifact
        except Exception as error:
            say_once(f"log_artifact: {error.__class__.__name__}: {error}", "log_artifact")
            return artifact_or_path if isinstance(artifact_or_path, Artifact) else Artifact(name or "artifact", "unspecified")

    upsert_artifact = finish_artifact = log_artifact

    def use_artifact(self, artifact_or_name: Any, type: str | None = None, aliases: Any = None, use_as: str | None = None) -> Artifact:
        if isinstance(artifact_or_name, Artifact):
            self._fact("track_row", {"step": self._step, "data": {"used_artifact": artifact_or_name.name}})
            return artifact_or_name
        wanted = text_of(artifact_or_name).rpartition("/")[2]
        wanted_name, _, version = wanted.partition(":")
        for artifact in reversed(_logged_artifacts):
            if artifact.collection == wanted_name and (not version or version in artifact.aliases or version == artifact.version):
                return artifact
        raise UnsupportedError(f"use_artifact({artifact_or_name!r}): this process has logged no such artifact, and flatout fetches none "
                               "of elsewhere; give the files by their path")

    def log_model(self, path: Any, name: str | None = None, aliases: Any = None) -> None:
        self.log_artifact(path, name or f"run_{self.id}_model", "model", aliases)

    def use_model(self, name: str) -> str:
        artifact = self.use_artifact(name)
        return artifact.file() if artifact.file_count == 1 else artifact.download()

    def link_model(self, path: Any, registered_model_name: str, name: str | None = None, aliases: Any = None) -> None:
        self.log_model(path, name or registered_model_name, aliases)

    def link_artifact(self, artifact: Artifact, target_path: str, aliases: Any = None) -> None:
        say_once("link_artifact: there is no registry here; the artifact is kept with its run")
        self.log_artifact(artifact, aliases=aliases)

    def log_code(self, root: str | None = ".", name: str | None = None, include_fn: Any = None, exclude_fn: Any = None) -> Artifact | None:
        """The .py files below `root`, as an artifact."""
        artifact = Artifact(name or f"source-{self._asked.project or 'run'}", "code")
        top = os.path.abspath(root or ".")
        seen = 0
        for folder, below, names in os.walk(top):
            seen += len(names)
            if seen > MAX_CODE_FILES:  # a folder of data
                say_once(f"log_code: files of {top} above {MAX_CODE_FILES} are not looked at")
                break
            below[:] = sorted(one for one in below if not one.startswith(".") and one not in ("wandb", "__pycache__", "node_modules", "site-packages"))
            for one in sorted(names):
                path = os.path.join(folder, one)
                if _asked_of(include_fn, path, top, one.endswith(".py")) and not _asked_of(exclude_fn, path, top, False) and os.path.isfile(path):
                    artifact.add_file(path, os.path.relpath(path, top))
        return self.log_artifact(artifact)

    # what it is

    id = property(lambda self: self._asked.id)
    entity = property(lambda self: self._asked.entity or "")
    project = property(lambda self: self._asked.project or "uncategorized")
    group = property(lambda self: self._asked.group or "")
    job_type = property(lambda self: self._asked.job_type or "")
    resumed = property(lambda self: self._earlier is not None)
    step = property(lambda self: self._step)
    starting_step = property(lambda self: self._starting_step)
    start_time = property(lambda self: self._start_time)
    disabled = property(lambda self: self._disabled)
    offline = property(lambda self: self._asked.mode != "online")
    settings = property(lambda self: self._settings)
    path = property(lambda self: "/".join(one for one in (self.entity, self.project, self.id) if one))
    url = project_url = sweep_url = sweep_id = property(lambda self: None)
    config_static = property(lambda self: self.config)
    flatout_run = property(lambda self: getattr(self._channel.recording, "run_id", ""))

    def get_url(self) -> None:
        return None

    get_project_url = get_sweep_url = get_url

    def project_name(self) -> str:
        return str(self.project)

    @property
    def name(self) -> str:
        return self._asked.name or self._asked.id

    @name.setter
    def name(self, value: Any) -> None:
        self._change("name", text_of(value, 256))

    @property
    def notes(self) -> str | None:
        return self._asked.notes

    @notes.setter
    def notes(self, value: Any) -> None:
        self._change("notes", text_of(value))

    @property
    def tags(self) -> tuple[str, ...]:
        return self._asked.tags

    @tags.setter
    def tags(self, value: Any) -> None:
        self._change("tags", (value,) if isinstance(value, str) else tuple(dict.fromkeys(str(one) for one in value or ())))

    def _change(self, name: str, value: Any) -> None:
        setattr(self._asked, name, value)
        self._announce()

    @property
    def dir(self) -> str:
        """A folder of the script's own, made when it is asked for, as wandb has it; its files are kept at the end."""
        if self._own_dir is None:
            base = os.path.abspath(self._asked.dir or ".")
            began = time.strftime("%Y%m%d_%H%M%S", time.localtime(self._start_time))
            path = os.path.join(base, "wandb", f"run-{began}-{self.id}", "files")
            try:
                os.makedirs(path, exist_ok=True)
            except OSError as error:
                import tempfile

                path = tempfile.mkdtemp(prefix="flatout-run-")
                say_once(f"run.dir is {path}: {error}")
            self._own_dir = path
        return self._own_dir

    sync_dir = dir

    def to_html(self, height: int = 420, hidden: bool = False) -> str:
        return f"<p>flatout run {self.id}</p>"

    def display(self, height: int = 420, hidden: bool = False) -> bool:
        return False

    def status(self) -> Metric:
        return Metric(sync_items_total=0, sync_items_pending=0, sync_time=None)

    def write_logs(self, text: str) -> None:
        self._fact("track_row", {"step": self._step, "data": {"logs": text_of(text, 65536)}})

    def mark_preempting(self) -> None:
        self.alert("preempting", "the script says that it is about to be preempted", "WARN")

    def pin_config_keys(self, keys: Any = ()) -> None:
        say_once("pin_config_keys: nothing is pinned here")

    def _label(self, code: str | None = None, repo: str | None = None, code_version: str | None = None, **kwargs: str) -> None:
        """wandb's own integrations name themselves with it."""

    def _set_library(self, library: Any) -> None:
        """wandb's own integrations call it."""

    # its end

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        self._end(exit_code or 0)

    join = finish

    def _end(self, exit_code: int | None) -> None:
        """None: the process's own status is the run's."""
        if self._finished:
            return
        own = self._channel.pid == os.getpid()
        if own and not self._disabled:
            self._finish_files()
            last = max(self._step - 1, self._last)
            if self._source == "wandb":
                remember(self.id, last + 1, self.config.as_dict(), dict(self._latest))
            if self._source == "wandb" and last >= self._starting_step:
                self._fact("track_summary", {"set": {STEP_KEY: last}})
        self.unwatch()
        if own:
            _console.end(self)
        if self in state.open_runs:
            state.open_runs.remove(self)
        if own and not self._disabled:
            self._channel.end(exit_code, last=not any(not run._disabled for run in state.open_runs))
        self._finished = True
        self._values = _keeps_nothing
        if state.run is self:
            state.set_run(None)

    def _finish_files(self) -> None:
        try:
            for path, (inside, _, _) in list(self._saved.items()):
                if os.path.isfile(path):
                    self._keep_file(path, inside, True)
            if self._own_dir is not None:
                for folder, _, names in os.walk(self._own_dir):
                    for one in sorted(names):
                        path = os.path.join(folder, one)
                        if os.path.isfile(path):
                            self._keep_file(path, os.path.relpath(path, self._own_dir), True)
        except Exception as error:
            say_once(f"files at the end: {type(error).__name__}: {error}", "files at the end")

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end(0 if kind is None else 1)

    def __repr__(self) -> str:
        return f"<flatout.track run {self.id}{' finished' if self._finished else ''}>"

    def __deepcopy__(self, memo: Any) -> Run:
        return self

    def __reduce__(self) -> Any:
        return _attached, (self._asked.__dict__, self._source)


_logged_artifacts: list[Artifact] = []


def globbed(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern, recursive=True))[:10_000]


def _keeps_nothing(track: int, step: int, data: Mapping[str, Any]) -> Mapping[str, Any]:
    return data


def _asked_of(function: Any, path: str, root: str, default: bool) -> bool:
    if function is None:
        return default
    try:
        return bool(function(path, root))
    except TypeError:
        return bool(function(path))


def _attached(asked: dict[str, Any], source: str) -> Run:
    """A run that came to this process by pickle: the same run, written by this process too."""
    for run in state.open_runs:
        if run.id == asked.get("id"):
            return run  # type: ignore[no-any-return]
    copy = Asked()
    copy.__dict__.update(asked)
    copy.namespace = copy.namespace or f"{os.uname().nodename}/{os.getpid()}"
    return Run(copy, source)


def end_all() -> None:
    """At the exit of the process: failed if an exception ended it; else its own status is the run's."""
    failed = hasattr(sys, "last_type") and not hasattr(sys, "ps1")
    for run in list(state.open_runs):
        if run._channel.pid == os.getpid():
            run._end(1 if failed else None)
    for artifact in _logged_artifacts:
        artifact.drop()
