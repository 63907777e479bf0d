"""A tracked run: what init returns. Its methods are wandb's, and none of them raises over what it cannot keep."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flatout.track import _console, _staging, state
from flatout.track._resume import STEP_KEY, all_is_known, earlier_run, remember
from flatout.track._run_files import RunFiles
from flatout.track._steps import StepMetrics
from flatout.track.channel import Channel, closed_channel, open_channel, trial_channel
from flatout.track._config import Config, Summary
from flatout.track.errors import say, say_once
from flatout.track.media import cell_of
from flatout.track.plain import flat, key_of, number, pieces, plain, text_of
from flatout.track.settings import Asked, Settings

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Metric", "Run"]

_NUMBERS = frozenset((float, int, bool))


class Metric:
    """What define_metric returns."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


class Run(RunFiles):
    """One run of a tracker. Any thread may log; two that leave the step to it may get the same one."""

    def __init__(self, asked: Asked, source: str = "wandb", settings: Settings | None = None) -> None:
        self._asked = asked
        self._source = source
        self._settings = settings or Settings()
        # A trial of `flatout tune` or `search` trains, and is thrown away: it has numbers, for losses and objectives, and no tracked run.
        trial = bool(os.environ.get("FLATOUT_TRIAL"))
        self._disabled = asked.mode == "disabled" or trial
        # Looked for before this one is recorded, so that it does not find itself.
        looks = source == "wandb" and not self._disabled and (asked.resumed or asked.resume == "never" or bool(asked.branch))
        self._earlier = earlier_run(asked.branch_from or asked.id) if looks and (asked.id_given or asked.branch) else None
        if looks and asked.resume in ("must", "never"):
            asked.check(self._earlier is not None, all_is_known())
        self._channel: Channel = trial_channel() if trial and not asked.off else closed_channel() if self._disabled else open_channel(asked.name)
        self._values = self._channel.values
        self._track = self._channel.track
        if asked.branch and asked.from_step is not None and looks:
            self._starting_step = asked.from_step + 1
        else:
            self._starting_step = 0 if self._earlier is None else self._earlier.step
        self._step = self._starting_step
        self._last = self._starting_step - 1  # of those that were given a step, or left it open
        self._finished = False
        self._said_lower = False
        self._latest: dict[str, Any] = {}
        self._step_metrics = StepMetrics()
        self._syncs_tensorboard = False  # takes what SummaryWriters are given, where these are captured
        self._start_time = time.time()
        self._watched: list[Any] = []
        RunFiles.__init__(self)
        self._alerts: dict[str, float] = {}
        self._attach_id = asked.id
        self.config = Config(self._send_config)
        self.summary = Summary(self._latest, lambda changes: self._fact("track_summary", {"set": changes}))
        self._announce()
        if self._earlier is not None:
            if self._starting_step >= self._earlier.step:  # else it is of steps that do not count here
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
            "mode": asked.mode, "resumed": asked.resumed,
            **({"branch": asked.branch, "from": asked.branch_from} if asked.branch else {}),
            **({"from_step": asked.from_step} if asked.branch and asked.from_step is not None else {})})

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
        if step is None and commit is None and type(data) is dict and _NUMBERS.issuperset(map(type, data.values())) and not self._step_metrics:
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
        for own, part in self._by_step(numbers, numbers, at):
            left = self._values(self._track, own, part)
            if left:
                rest.update({key_of(key): value for key, value in left.items()})
        if rest and not self._disabled:
            for own, part in self._by_step(rest, numbers, at):
                self._log_rest(part, own)

    def _by_step(self, values: dict[str, Any], given: Mapping[str, Any], at: int) -> Iterable[tuple[int, dict[str, Any]]]:
        if not values:
            return ()
        return self._step_metrics.by_step(values, given, self._latest, at).items() if self._step_metrics else ((at, values),)

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
        # A dot that is part of a name is escaped for wandb; names here have none of its backslashes.
        self._step_metrics.define(str(body["name"]).replace("\\.", "."), str(body["step_metric"]).replace("\\.", "."), step_sync is not False,
                                  bool(overwrite))
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

    # what it is

    id = property(lambda self: self._asked.id)
    entity = property(lambda self: self._asked.entity or "")
    project = property(lambda self: self._asked.project or "uncategorized")
    group = property(lambda self: self._asked.group or "")
    job_type = property(lambda self: self._asked.job_type or "")
    resumed = property(lambda self: self._earlier is not None and self._asked.branch != "fork")
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
                remember(self.id, last + 1, self.config.as_dict(), dict(self._latest), self._asked.branch == "rewind",
                         str(self.flatout_run))
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
            state.end_run(self)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end(0 if kind is None else 1)

    def __repr__(self) -> str:
        return f"<flatout.track run {self.id}{' finished' if self._finished else ''}>"

    def __deepcopy__(self, memo: Any) -> Run:
        return self

    def __reduce__(self) -> Any:
        return _attached, (self._asked.__dict__, self._source, [(name, *rule) for name, rule in self._step_metrics.defined.items()])


def _keeps_nothing(track: int, step: int, data: Mapping[str, Any]) -> Mapping[str, Any]:
    return data


def _attached(asked: dict[str, Any], source: str, metrics: Iterable[tuple[str, str, bool]] = ()) -> Run:
    """A run that came to this process by pickle: the same run, written by this process too."""
    for run in state.open_runs:
        if run.id == asked.get("id"):
            return run  # type: ignore[no-any-return]
    copy = Asked()
    copy.__dict__.update(asked)
    copy.namespace = copy.namespace or f"{os.uname().nodename}/{os.getpid()}"
    run = Run(copy, source)
    run._step_metrics = StepMetrics(metrics)
    return run


def end_all() -> None:
    """At the exit of the process: failed if an exception ended it; else its own status is the run's."""
    failed = hasattr(sys, "last_type") and not hasattr(sys, "ps1")
    for run in list(state.open_runs):
        if run._channel.pid == os.getpid():
            run._end(1 if failed else None)
    _staging.close()
