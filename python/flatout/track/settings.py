"""What init is asked for, by its arguments, by `settings` and by WANDB_* variables, in that order."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from flatout.track.errors import UsageError, say_once

__all__ = ["Asked", "Settings", "asked_for"]

_ON = ("1", "true", "yes", "on", "y", "t")


class Settings:
    """Takes any name and keeps it; an absent one is None."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __repr__(self) -> str:
        return f"Settings({', '.join(sorted(self.__dict__))})"

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def update(self, other: Any = None, **given: Any) -> None:
        self.__dict__.update(_as_dict(other))
        self.__dict__.update(given)

    def copy(self) -> Settings:
        return Settings(**self.__dict__)


class Asked:
    """One call of init, with all that could say something about it."""

    entity: str | None = None
    project: str | None = None
    dir: str | None = None
    id: str = ""
    id_given = False
    name: str | None = None
    notes: str | None = None
    tags: tuple[str, ...] = ()
    group: str | None = None
    job_type: str | None = None
    mode: str = "online"
    off = False  # the script itself, not its environment, says "disabled"
    resumed = False
    resume = ""  # "must", "never", "allow"; "" = not said
    branch = ""  # "fork" or "rewind": begins with the history of the run `branch_from`
    branch_from = ""
    from_step: int | None = None  # the last one of it that counts; None = all
    namespace: str | None = None  # of this process in a run that several write

    def check(self, is_there: bool, all_known: bool) -> None:
        """"must" and "never" ask for an exception, as in wandb. `all_known`: no recording could hold a run that was not seen."""
        if self.resume == "must" and not is_there:
            text = f"init(resume='must', id={self.id!r}): no run of that id is in the store"
            if all_known and self.mode == "online":
                raise UsageError(f"{text}; check the id and FLATOUT_HOME, or give resume='allow' to begin one where there is none")
            why = "wandb, too, does not look where it is offline" if all_known else "one that runs, or was killed and not read since, may be it"
            say_once(f"{text}; {why}; it begins at step 0")
        if self.resume == "never" and is_there:
            raise UsageError(f"init(resume='never', id={self.id!r}): a run of that id is in the store; give another id, or resume='allow'")


def _as_dict(settings: Any) -> dict[str, Any]:
    if settings is None:
        return {}
    if isinstance(settings, Mapping):
        return {str(key): value for key, value in settings.items()}
    try:
        return dict(vars(settings))
    except TypeError:
        return {}


def _variable(name: str) -> str | None:
    return os.environ.get("WANDB_" + name) or None


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _tags(value: Any) -> tuple[str, ...]:
    """A tuple of strings, each once; a string alone is one tag."""
    if value is None:
        return ()
    try:
        parts = [value] if isinstance(value, str) else list(value)
        return tuple(dict.fromkeys(str(part) for part in parts))
    except TypeError:
        say_once(f"tags: {type(value).__name__} is no list of strings; there are none")
        return ()


def new_id() -> str:
    """Eight characters, drawn by the system alone: the program's random numbers are its own."""
    return "".join("abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36] for byte in os.urandom(8))


def _mode(given: Any, settings: Mapping[str, Any]) -> str:
    mode = _text(given) or _text(settings.get("mode")) or _variable("MODE") or "online"
    if (_variable("DISABLED") or "").lower() in _ON:
        mode = "disabled"
    mode = {"dryrun": "offline", "run": "online"}.get(mode, mode)
    if mode not in ("online", "offline", "disabled", "shared"):
        say_once(f"mode={mode!r} is none of online, offline, shared, disabled; the run is recorded")
        mode = "online"
    return mode


def asked_for(given: Mapping[str, Any]) -> Asked:
    """Of the arguments of init."""
    settings = _as_dict(given.get("settings"))

    def first(argument: str, variable: str, *names: str) -> str | None:
        chosen = _text(given.get(argument))
        for name in names:
            chosen = chosen or _text(settings.get(name))
        return chosen or _variable(variable)

    out = Asked()
    out.mode = _mode(given.get("mode"), settings)
    out.off = "disabled" in (given.get("mode"), settings.get("mode"))
    out.entity = first("entity", "ENTITY", "entity")
    out.project = first("project", "PROJECT", "project")
    out.dir = first("dir", "DIR", "root_dir")
    out.name = first("name", "NAME", "run_name")
    out.notes = first("notes", "NOTES", "run_notes")
    out.group = first("group", "RUN_GROUP", "run_group")
    out.job_type = first("job_type", "JOB_TYPE", "run_job_type")
    variable = _variable("TAGS")
    out.tags = _tags(given.get("tags")) or _tags(settings.get("run_tags")) or _tags(variable.split(",") if variable else None)
    out.namespace = _text(settings.get("x_label"))
    _identify(out, given, first("id", "RUN_ID", "run_id"))
    return out


def _identify(out: Asked, given: Mapping[str, Any], wanted: str | None) -> None:
    resume = given.get("resume")
    if resume is None:
        resume = _variable("RESUME")
    resumed = resume not in (None, False, "", "never", "false", "False", "0")
    out.resume = resume if resume in ("must", "never") else "allow" if resumed else ""
    wanted = _branch(out, given, wanted)
    resumed = resumed or out.branch == "rewind"
    if isinstance(resume, str) and resume not in ("allow", "never", "must", "auto", "true", "True", "1", "false", "False", "0"):
        wanted = wanted or resume  # as in early versions of wandb
    out.id_given = wanted is not None
    out.id = re.sub(r"[/\\#?%:\s]", "-", wanted)[:128] if wanted else new_id()
    if wanted and out.id != wanted:
        say_once(f"id {wanted!r} holds what no id may hold; it is {out.id!r} here")
    out.resumed = resumed and out.id_given


def _branch(out: Asked, given: Mapping[str, Any], wanted: str | None) -> str | None:
    """Takes resume_from or fork_from, RUN?_step=N; gives back the id that is wanted then."""
    settings = _as_dict(given.get("settings"))
    asked = {source: _text(given.get(source)) or _text(settings.get(source)) for source in ("resume_from", "fork_from")}
    for source, value in asked.items():
        if value is None:
            continue
        if out.branch or out.resume in ("must", "never", "allow"):
            say_once(f"{source}={value!r}: of resume, resume_from and fork_from one can be given; it is ignored")
            continue
        place, _, step = value.partition("?_step=")
        run = place.partition("?")[0]
        if not run or not (step.isascii() and step.isdigit() and len(step) < 19):
            say_once(f"{source}={value!r} is no RUN?_step=N; {'all of the history is taken' if run else 'it is ignored'}")
        if not run:
            continue
        if source == "fork_from" and run == wanted:
            say_once(f"fork_from={value!r}: a run cannot be forked under its own id; it is rewound, as resume_from does it")
            source = "resume_from"
        out.branch, out.branch_from = ("rewind" if source == "resume_from" else "fork"), run
        out.from_step = int(step) if step.isascii() and step.isdigit() and len(step) < 19 else None
        if source == "resume_from":
            wanted = run  # also where an id is given, as in wandb
    return wanted


def _yaml(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        say_once(f"{path} is not read: it is no JSON, and the package yaml is not installed")
        return None
    return yaml.safe_load(text)


def config_file(path: str, must_exist: bool = True) -> dict[str, Any]:
    """Of a YAML or JSON file, with wandb's {"key": {"value": ...}} taken apart; {} and a line where it cannot be read."""
    if not must_exist and not os.path.isfile(path):
        return {}
    try:
        loaded = _yaml(path)
    except Exception as error:
        say_once(f"{path} is not read: {type(error).__name__}: {error}")
        return {}
    if not isinstance(loaded, dict):
        return {}
    return {str(key): value["value"] if isinstance(value, dict) and "value" in value else value
            for key, value in loaded.items() if key != "wandb_version"}


def default_config() -> dict[str, Any]:
    """Of config-defaults.yaml in the working directory, and of WANDB_CONFIG_PATHS."""
    paths = _variable("CONFIG_PATHS")
    out = config_file("config-defaults.yaml", must_exist=False)
    for path in (paths or "").split(","):
        if path.strip():
            out.update(config_file(path.strip()))
    return out
