"""What a tracked run keeps as files: those that it saves, artifacts, models, code, and those of its own folder."""

from __future__ import annotations

import fnmatch
import glob
import os
import time
from typing import TYPE_CHECKING, Any

from flatout.track.artifact import Artifact
from flatout.track.errors import UnsupportedError, say_once
from flatout.track.plain import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flatout.track.channel import Channel
    from flatout.track.settings import Asked

__all__ = ["RunFiles", "logged_artifacts"]

MAX_CODE_FILES = 100_000

logged_artifacts: list[Artifact] = []  # of this process, in order


class RunFiles:
    """The part of a Run (_run.py) that is about files; these attributes are the run's."""

    if TYPE_CHECKING:
        _asked: Asked
        _channel: Channel
        _disabled: bool
        _finished: bool
        _step: int
        _start_time: float

    def __init__(self) -> None:
        self._saved: dict[str, tuple[str, float, int]] = {}  # by path: the name it is kept by, its time and size
        self._own_dir: str | None = None

    def _fact(self, key: str, body: Mapping[str, Any]) -> None:
        raise NotImplementedError

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
        raise ValueError(f"File {name} not found in run {run_path or self._asked.id}: flatout restores what this process saved; "
                         "files of other runs lie in their folders in the store")

    def log_artifact(self, artifact_or_path: Any, name: str | None = None, type: str | None = None, aliases: Any = None,
                     tags: Any = None, distributed_id: str | None = None) -> Artifact:
        try:
            artifact = artifact_or_path
            if not isinstance(artifact, Artifact):
                path = os.fspath(artifact_or_path)
                artifact = Artifact(name or f"run-{self._asked.id}-{os.path.basename(path.rstrip('/'))}", type or "unspecified")
                if path.startswith(("s3://", "gs://", "http://", "https://", "file://")):
                    artifact.add_reference(path)
                else:
                    # Logged at once: no copy is needed in between.
                    (artifact.add_dir if os.path.isdir(path) else artifact.add_file)(path, policy="immutable")
            artifact.tags = [*artifact.tags, *(tags or [])]
            if not self._disabled and not self._finished:
                artifact.keep(self._channel, [aliases] if isinstance(aliases, str) else list(aliases or []))
                logged_artifacts.append(artifact)
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
        for artifact in reversed(logged_artifacts):
            if artifact.collection == wanted_name and (not version or version in artifact.aliases or version == artifact.version):
                return artifact
        raise UnsupportedError(f"use_artifact({artifact_or_name!r}): this process has logged no such artifact, and flatout fetches none "
                               "of elsewhere; give the files by their path")

    def log_model(self, path: Any, name: str | None = None, aliases: Any = None) -> None:
        self.log_artifact(path, name or f"run_{self._asked.id}_model", "model", aliases)

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
                    artifact.add_file(path, os.path.relpath(path, top), policy="immutable")
        return self.log_artifact(artifact)

    @property
    def dir(self) -> str:
        """A folder of the script's own, made when it is asked for, as wandb has it; its files are kept at the end."""
        if self._own_dir is None:
            base = os.path.abspath(self._asked.dir or ".")
            began = time.strftime("%Y%m%d_%H%M%S", time.localtime(self._start_time))
            path = os.path.join(base, "wandb", f"run-{began}-{self._asked.id}", "files")
            try:
                os.makedirs(path, exist_ok=True)
            except OSError as error:
                import tempfile

                path = tempfile.mkdtemp(prefix="flatout-run-")
                say_once(f"run.dir is {path}: {error}")
            self._own_dir = path
        return self._own_dir

    sync_dir = dir

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


_MOST_FOUND = 10_000
_MOST_VISITED = 200_000


def globbed(pattern: str) -> list[str]:
    """As glob.glob(recursive=True), but `**` follows no link to a folder: two of them that lead back have paths without end."""
    parts = pattern.split(os.sep)
    if "**" not in parts:
        return _first(pattern, sorted(glob.glob(pattern)))
    first = parts.index("**")
    head, below = os.sep.join(parts[:first]), parts[first:]
    start = head or (os.sep if pattern.startswith(os.sep) else "")
    out: list[str] = []
    visited = 0
    for base in sorted(glob.glob(start)) if start else [""]:
        for folder, folders, names in os.walk(base or os.curdir):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            inside = os.path.relpath(folder, base or os.curdir)
            above = [] if inside == os.curdir else inside.split(os.sep)
            out.extend(os.path.join(base, *above, name) for name in sorted(names) if _matches(below, [*above, name]))
            visited += len(names) + len(folders)
            if visited >= _MOST_VISITED:
                say_once(f"save({pattern!r}): only the first {_MOST_VISITED} files below it were looked at; name them more closely", "save visited")
                return _first(pattern, sorted(out))
    return _first(pattern, sorted(out))


def _first(pattern: str, found: list[str]) -> list[str]:
    if len(found) > _MOST_FOUND:
        say_once(f"save({pattern!r}): {len(found)} files, of which the first {_MOST_FOUND} are kept; name them more closely", "save found")
    return found[:_MOST_FOUND]


def _matches(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return _matches(parts[1:], names) or (bool(names) and not names[0].startswith(".") and _matches(parts, names[1:]))
    return bool(names) and (names[0][0] != "." or parts[0][:1] == ".") and fnmatch.fnmatch(names[0], parts[0]) and _matches(parts[1:], names[1:])


def _asked_of(function: Any, path: str, root: str, default: bool) -> bool:
    if function is None:
        return default
    try:
        return bool(function(path, root))
    except TypeError:
        return bool(function(path))
