"""Neptune's shape over flatout's runs: `import flatout.track.neptune as neptune`.

    run = neptune.init_run(project="me/mnist", custom_run_id="night-7")
    run["parameters"] = {"lr": 0.1}
    run["train/loss"].append(0.3)
    run.stop()

Several processes or stages that give one custom_run_id (or NEPTUNE_CUSTOM_RUN_ID) write one run, at once or one after the other; each has a
monitoring namespace of its own. Fields of a path with parameters, params, hyperparameters, hyperparams, hparams, config or args in it, alone or
behind a word as in model_parameters, are the run's config; other fields are its summary; series are values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from flatout.track._run import Run as TrackedRun
from flatout.track._run_files import globbed
from flatout.track.errors import Error, UnsupportedError, say_once
from flatout.track.media import Media, cell_of
from flatout.track.neptune_files import File
from flatout.track.plain import flat, key_of, number, plain, text_of
from flatout.track.settings import Asked, Settings, new_id

__all__ = ["ANONYMOUS_API_TOKEN", "File", "Handler", "MissingFieldException", "Run", "init", "init_model", "init_model_version", "init_project",
           "init_run", "stringify_unsupported"]

ANONYMOUS_API_TOKEN = "ANONYMOUS"
_CONFIG = re.compile(r"(^|/)([^/]*_)?(parameters|params|hyperparameters|hyperparams|hparams|config|args)(/|$)")


class MissingFieldException(Error, AttributeError, KeyError):
    """The field was not written by this process; others' are not read."""


def _namespace() -> str:
    """Of this process: the same as long as it runs."""
    return f"monitoring/{os.uname().nodename}-{os.getpid()}"


class Run:
    """What init_run returns. Any thread."""

    def __init__(self, with_id: str | None = None, *, project: str | None = None, api_token: str | None = None, custom_run_id: str | None = None,
                 mode: str | None = None, name: str | None = None, description: str | None = None, tags: Any = None, source_files: Any = None,
                 capture_stdout: bool | None = None, capture_stderr: bool | None = None, capture_hardware_metrics: bool | None = None,
                 fail_on_exception: bool = True, monitoring_namespace: str | None = None, flush_period: float = 5, proxies: Any = None,
                 capture_traceback: bool = True, git_ref: Any = None, dependencies: Any = None, **unknown: Any) -> None:
        for argument in unknown:
            if not argument.startswith("async_"):
                say_once(f"init_run: the argument {text_of(argument, 60)} is not known and is ignored")
        asked = Asked()
        wanted = with_id or custom_run_id or os.environ.get("NEPTUNE_CUSTOM_RUN_ID") or None
        asked.id = re.sub(r"[/\\#?%:\s]", "-", text_of(wanted))[:128] if wanted else new_id()
        asked.id_given = asked.resumed = wanted is not None
        asked.mode = self._mode(mode or os.environ.get("NEPTUNE_MODE") or "async")
        asked.off = mode in ("debug", "read-only")
        asked.project = project or os.environ.get("NEPTUNE_PROJECT") or None
        asked.name, asked.notes = name, description
        asked.tags = (tags,) if isinstance(tags, str) else tuple(text_of(one, 256) for one in tags or ())
        asked.namespace = monitoring_namespace or os.environ.get("NEPTUNE_MONITORING_NAMESPACE") or _namespace()
        self._fail_on_exception = fail_on_exception
        streams = (capture_stdout is not False, capture_stderr is not False)
        self._run = TrackedRun(asked, "neptune", Settings(output=streams))
        self._fields: dict[str, Any] = {"sys/id": asked.id, "sys/name": name or "", "sys/custom_run_id": asked.id, "sys/tags": set(asked.tags)}
        self._next: dict[str, int] = {}
        for path in [source_files] if isinstance(source_files, str) else source_files or ():
            self["source_code/files"].upload_files(path)

    @staticmethod
    def _mode(mode: str) -> str:
        if mode == "read-only":
            say_once("init_run: mode='read-only' opens nothing here; stored runs are read by flatout ls, show and ui")
        return "disabled" if mode in ("debug", "read-only") else "offline" if mode == "offline" else "online"

    def __getitem__(self, path: str) -> Handler:
        return Handler(self, key_of(path).strip("/"))

    def __setitem__(self, path: str, value: Any) -> None:
        self[path].assign(value)

    def __delitem__(self, path: str) -> None:
        self[path].remove_field()

    def assign(self, value: Any, *, wait: bool = False) -> None:
        Handler(self, "").assign(value)

    def define(self, path: str, value: Any, *, wait: bool = False) -> Handler:
        self[path] = value
        return self[path]

    def pop(self, path: str, *, wait: bool = False) -> None:
        self[path].remove_field()

    def exists(self, path: str) -> bool:
        return any(one == path or one.startswith(path + "/") for one in self._fields)

    def get_structure(self) -> dict[str, Any]:
        """Of what this process wrote."""
        out: dict[str, Any] = {}
        for path, value in self._fields.items():
            *above, name = path.split("/")
            place = out
            for one in above:
                inner = place.get(one)
                if not isinstance(inner, dict):
                    inner = place[one] = {}
                place = inner
            place[name] = value
        return out

    def print_structure(self) -> None:
        for path in sorted(self._fields):
            print(path)

    def fetch(self) -> dict[str, Any]:
        return self.get_structure()

    def fetch_runs_table(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError("fetch_runs_table(): stored runs are read by flatout ls --format json, flatout export and flatout ui's HTTP API")

    def get_url(self) -> str:
        return ""

    def get_state(self) -> str:
        return "stopped" if self._run._finished else "started"

    def get_root_object(self) -> Run:
        return self

    def start(self) -> None:
        """It has begun."""

    def ping(self) -> None:
        """There is no server."""

    def wait(self, *, disk_only: bool = False) -> None:
        """What was written has left this process already."""

    def sync(self, *, wait: bool = True) -> None:
        """What was written has left this process already."""

    def stop(self, *, seconds: Any = None) -> None:
        self._run._end(0)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        failed = kind is not None and self._fail_on_exception
        if failed:
            self["sys/failed"] = True
        self._run._end(1 if failed else 0)

    def __repr__(self) -> str:
        return f"<flatout.track.neptune run {self._run.id}>"

    # what handlers write through

    def _step(self, path: str, step: Any) -> int:
        """Each series counts its own steps."""
        given = number(step) if step is not None else None
        if given is not None and -(1 << 62) < given < 1 << 62:
            if given != int(given):
                say_once("steps are whole numbers here: those between two are cut to the lower one", "fraction")
            at = int(given)
        else:
            at = self._next.get(path, 0)
        self._next[path] = at + 1
        return at

    def _append(self, path: str, value: Any, step: Any) -> None:
        try:
            for name, one in flat({path: value}, "/").items():
                one = plain(one) if isinstance(one, Mapping) else one  # deeper than flat() goes
                self._fields[name] = one if number(one) is not None or isinstance(one, str) else None
                self._run._try_write({name: one}, self._step(name, step))
        except Exception as error:
            say_once(f"{path}: not kept: {type(error).__name__}: {error}", f"append {type(error).__name__}")

    def _assign(self, path: str, value: Any) -> None:
        if isinstance(value, (Media, File)) or hasattr(value, "savefig"):
            self._upload(path, value)
            return
        self._fields[path] = value
        if path.startswith("sys/"):
            self._system(path, value)
        elif _CONFIG.search(path):
            self._run._fact("track_config", {"set": _nested({path: value})})
        else:
            self._run.summary.update({path: value})

    def _system(self, path: str, value: Any) -> None:
        names = {"sys/name": "name", "sys/description": "notes", "sys/tags": "tags", "sys/group_tags": "group"}
        if path in names:
            if path == "sys/group_tags":
                value = ",".join(sorted(text_of(one, 256) for one in ([value] if isinstance(value, str) else value)))
            setattr(self._run, names[path], value) if path != "sys/group_tags" else self._run._change("group", value)
        else:
            self._run.summary.update({path: value})

    def _upload(self, path: str, value: Any) -> None:
        if isinstance(value, str):
            value = File(value)
        elif not isinstance(value, (File, Media)):
            value = File.as_image(value)
        media = value.media if isinstance(value, File) else value
        written = cell_of(media, self._run._channel)
        self._fields[path] = None
        if isinstance(written, dict) and "file" in written:
            self._run._fact("track_file", {"path": path, "file": written["file"], "bytes": written["bytes"], "kind": "media"})


class Handler:
    """A path of a run: a field, a series or a namespace, as it is used."""

    def __init__(self, run: Run, path: str) -> None:
        self._run = run
        self._path = path

    def _below(self, name: Any) -> str:
        return "/".join(one for one in (self._path, key_of(name).strip("/")) if one)

    def __getitem__(self, path: str) -> Handler:
        return Handler(self._run, self._below(path))

    def __setitem__(self, path: str, value: Any) -> None:
        self[path].assign(value)

    def __delitem__(self, path: str) -> None:
        self[path].remove_field()

    @property
    def container(self) -> Run:
        return self._run

    def get_root_object(self) -> Run:
        return self._run

    def assign(self, value: Any, *, wait: bool = False) -> None:
        try:
            if hasattr(value, "__dict__") and type(value).__name__ == "Namespace":
                value = vars(value)
            if isinstance(value, Mapping):
                self._assign_all(value)
            else:
                self._run._assign(self._path, value)
        except Exception as error:
            say_once(f"{self._path}: not kept: {type(error).__name__}: {error}", f"assign {type(error).__name__}")

    def _assign_all(self, values: Mapping[Any, Any]) -> None:
        """Those of the config in one fact."""
        config = {}
        for path, value in flat(values, "/", self._path + "/" if self._path else "").items():
            if _CONFIG.search(path) and not path.startswith("sys/") and not isinstance(value, (Media, File)):
                config[path] = self._run._fields[path] = value
            else:
                self._run._assign(path, value)
        if config:
            self._run._run._fact("track_config", {"set": _nested(config)})

    def append(self, value: Any, *, step: Any = None, timestamp: Any = None, wait: bool = False, **_: Any) -> None:
        self._run._append(self._path, value.media if isinstance(value, File) else value, step)

    def extend(self, values: Any, *, steps: Any = None, timestamps: Any = None, wait: bool = False, **_: Any) -> None:
        if isinstance(values, Mapping):
            for name, below in values.items():
                self[key_of(name)].extend(below, steps=steps)
            return
        given = list(steps) if steps is not None else []
        for at, value in enumerate(values):
            self.append(value, step=given[at] if at < len(given) else None)

    def log(self, value: Any, *, step: Any = None, timestamp: Any = None, wait: bool = False, **_: Any) -> None:
        if isinstance(value, (list, tuple, set)):
            self.extend(value, steps=[step] if step is not None else None)
        else:
            self.append(value, step=step)

    def upload(self, value: Any, *, wait: bool = False, **_: Any) -> None:
        try:
            self._run._upload(self._path, value)
        except Exception as error:
            say_once(f"{self._path}: not kept: {type(error).__name__}: {error}", f"upload {type(error).__name__}")

    def upload_files(self, value: Any, *, wait: bool = False) -> None:
        for pattern in [value] if isinstance(value, str) else value:
            for path in globbed(text_of(pattern)):
                for one in _files_of(path):
                    self._run._upload(self._below(os.path.relpath(one, os.path.dirname(path))), one)

    track_files = upload_files

    def add(self, values: Any, *, wait: bool = False) -> None:
        """To a set of strings, as sys/tags is."""
        there = self._run._fields.get(self._path)
        merged = dict.fromkeys([*(there if isinstance(there, (set, list, tuple)) else ()), *_strings(values)])
        self._run._assign(self._path, list(merged))

    def remove(self, values: Any, *, wait: bool = False) -> None:
        gone = set(_strings(values))
        self._run._assign(self._path, [one for one in self._run._fields.get(self._path) or () if one not in gone])

    def clear(self, *, wait: bool = False) -> None:
        self._run._assign(self._path, [])

    def pop(self, path: str | None = None, *, wait: bool = False) -> None:
        (self if path is None else self[path]).remove_field()

    def remove_field(self) -> None:
        for path in [one for one in self._run._fields if one == self._path or one.startswith(self._path + "/")]:
            del self._run._fields[path]
            if _CONFIG.search(path):
                self._run._run._fact("track_config", {"remove": [path.replace("/", ".")]})

    def fetch(self) -> Any:
        """What this process wrote to it last."""
        if self._path in self._run._fields:
            return self._run._fields[self._path]
        if self._run.exists(self._path):
            return {one[len(self._path) + 1:]: value for one, value in self._run._fields.items() if one.startswith(self._path + "/")}
        raise MissingFieldException(f"{self._path}: this process has not written it, and stored runs are not read here")

    fetch_last = fetch

    def fetch_values(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError(f"{self._path}.fetch_values(): flatout export and flatout ui's HTTP API give series")

    download = download_last = fetch_values

    def delete_files(self, paths: Any, *, wait: bool = False) -> None:
        say_once("delete_files: files go with their run (flatout rm)")

    def __repr__(self) -> str:
        return f"<flatout.track.neptune {self._path}>"


def _files_of(path: str) -> list[str]:
    """A file, or those below a folder."""
    if not os.path.isdir(path):
        return [path] if os.path.isfile(path) else []
    found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]
    return [one for one in found if os.path.isfile(one)]


def _nested(fields: Mapping[str, Any]) -> dict[str, Any]:
    """{"a/b": 1} as {"a": {"b": 1}}."""
    out: dict[str, Any] = {}
    for path, value in fields.items():
        *above, name = path.split("/")
        place = out
        for one in above:
            place = place.setdefault(one, {}) if isinstance(place.get(one, {}), dict) else place
        place[name] = plain(value)
    return out


def _strings(values: Any) -> Iterable[str]:
    return [text_of(one, 256) for one in ([values] if isinstance(values, str) else values)]


def init_run(with_id: str | None = None, **given: Any) -> Run:
    """A run, of `with_id` or `custom_run_id` where they are given. Unknown arguments cost a line."""
    return Run(with_id, **given)


def init(*args: Any, **given: Any) -> Run:
    """As Neptune's clients before 1.0 had it."""
    given.pop("run", None)
    if args:
        given.setdefault("project", args[0])
    return Run(**given)


def init_project(*_: Any, **__: Any) -> Any:
    raise UnsupportedError("init_project(): flatout keeps runs; log to one")


def init_model(*_: Any, **__: Any) -> Any:
    raise UnsupportedError("init_model(): flatout has no model registry; log to a run")


init_model_version = init_model


def stringify_unsupported(value: Any, expand: bool = False) -> Any:
    """Every kind of value is taken here; one that is no JSON is kept as text."""
    return value if isinstance(value, Mapping) else plain(value)
