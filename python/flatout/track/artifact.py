"""Artifacts: named sets of files, kept among the run's files by the hash of their content."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

from flatout.track.channel import Channel
from flatout.track.errors import UsageError, say_once
from flatout.track.plain import plain, text_of

__all__ = ["Artifact", "ArtifactTTL", "Entry"]

MAX_FILES = 100_000


class ArtifactTTL:
    """Of wandb's name: nothing here expires by itself."""

    INHERIT = "inherit"


class Entry:
    """One file of an artifact."""

    def __init__(self, path: str, local: str | None, ref: str | None = None) -> None:
        self.path = path
        self.ref = ref
        self._local = local
        self.size = os.path.getsize(local) if local else None

    def download(self, root: str | None = None, **_: Any) -> str:
        if self._local is None:
            raise UsageError(f"{self.path} is a reference to {self.ref}; flatout does not fetch it")
        if root is None:
            return self._local
        import shutil

        target = os.path.join(os.fspath(root), self.path)
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        shutil.copyfile(self._local, target)
        return target

    def local_path(self) -> str | None:
        return self._local

    def ref_target(self) -> str | None:
        return self.ref


class Artifact:
    """What wandb calls an artifact. Files are read when it is logged; those of new_file() lie in a folder of its own until then."""

    def __init__(self, name: str, type: str, description: str | None = None, metadata: Any = None, incremental: bool = False,
                 use_as: str | None = None, storage_region: str | None = None, digest_algorithm: str = "MD5") -> None:
        self._name = text_of(name, 256)
        self.type = text_of(type, 128)
        self.description = description
        self.metadata = dict(metadata) if metadata else {}
        self.aliases: list[str] = []
        self.tags: list[str] = []
        self.ttl: Any = None
        self.incremental, self.use_as, self.distributed_id = incremental, use_as, None
        self._entries: dict[str, Entry] = {}
        self._objects: dict[str, Any] = {}
        self._own: str | None = None
        self._version: str | None = None

    name = property(lambda self: self._name if self._version is None else f"{self._name}:{self._version}")
    source_name = qualified_name = source_qualified_name = name
    collection = source_collection = property(lambda self: self._name)
    state = property(lambda self: "PENDING" if self._version is None else "COMMITTED")
    entity = project = url = created_at = updated_at = history_step = source_entity = source_project = None

    @property
    def version(self) -> str:
        """The beginning of the hash of its content: the same files give the same version."""
        return self._version or self.digest[:12]

    source_version = version

    @property
    def id(self) -> str:
        return self.digest

    commit_hash = id

    @property
    def digest(self) -> str:
        import hashlib

        out = hashlib.sha256()
        for path in sorted(self._entries):
            out.update(path.encode("utf-8", "replace") + b"\0" + _content(self._entries[path]) + b"\0")
        out.update(json.dumps(plain(self._objects), sort_keys=True).encode())
        return out.hexdigest()

    @property
    def size(self) -> int:
        return sum(entry.size or 0 for entry in self._entries.values())

    @property
    def file_count(self) -> int:
        return len(self._entries)

    @property
    def manifest(self) -> Any:
        return self

    @property
    def entries(self) -> dict[str, Entry]:
        return dict(self._entries)

    def is_draft(self) -> bool:
        return self._version is None

    def finalize(self) -> None:
        """Files may be added until it is logged."""

    def add_file(self, local_path: Any, name: str | None = None, is_tmp: bool | None = False, skip_cache: bool | None = False,
                 policy: str | None = "mutable", overwrite: bool = False) -> Entry:
        path = os.fspath(local_path)
        if not os.path.isfile(path):
            raise ValueError(f"Path is not a file: {path!r}")
        at = name or os.path.basename(path)
        if policy != "immutable":  # its folder may be gone before the artifact is logged
            copy = os.path.join(self._folder(), "copies", at)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            _link_or_copy(path, copy)
            path = copy
        entry = Entry(at, path)
        self._entries[at] = entry
        return entry

    def add_dir(self, local_path: Any, name: str | None = None, skip_cache: bool | None = False, policy: str | None = "mutable",
                merge: bool = False) -> None:
        root = os.fspath(local_path)
        if not os.path.isdir(root):
            raise ValueError(f"Path is not a directory: {root!r}")
        for folder, _, names in os.walk(root):
            for one in sorted(names):
                path = os.path.join(folder, one)
                if not os.path.isfile(path):
                    continue
                if len(self._entries) >= MAX_FILES:
                    say_once(f"artifact {self._name}: files above {MAX_FILES} are left out")
                    return
                inside = os.path.relpath(path, root)
                self.add_file(path, os.path.join(name, inside) if name else inside, policy=policy)

    @contextlib.contextmanager
    def new_file(self, name: str, mode: str = "x", encoding: str | None = None, policy: str = "mutable") -> Iterator[IO[Any]]:
        path = os.path.join(self._folder(), "new", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode if "b" in mode else mode.replace("x", "w"), encoding=None if "b" in mode else encoding or "utf-8") as file:
            yield file
        self._entries[name] = Entry(name, path)

    def add_reference(self, uri: Any, name: Any = None, checksum: bool = True, max_objects: int | None = None) -> list[Entry]:
        text = text_of(uri, 4096)
        at = text_of(name) if name else text.rstrip("/").rpartition("/")[2] or text
        local = text[len("file://"):] if text.startswith("file://") else None
        self._entries[at] = Entry(at, local if local and os.path.isfile(local) else None, text)
        return [self._entries[at]]

    def add(self, obj: Any, name: Any, overwrite: bool = False) -> Any:
        self._objects[text_of(name, 512)] = obj
        return obj

    def remove(self, item: Any) -> None:
        self._entries.pop(getattr(item, "path", item), None)

    def get(self, name: str) -> Any:
        return self._objects.get(name)

    def get_entry(self, name: Any) -> Entry:
        return self._entries[os.fspath(name)]

    get_path = get_entry

    def get_added_local_path_name(self, local_path: str) -> str | None:
        return next((one.path for one in self._entries.values() if one._local == local_path), None)

    def download(self, root: Any = None, *_: Any, **__: Any) -> str:
        """Its files below `root`, or below a folder ./artifacts/NAME."""
        target = os.fspath(root) if root is not None else os.path.join("artifacts", f"{self._name}-{self.version}")
        os.makedirs(target, exist_ok=True)
        for entry in self._entries.values():
            if entry._local is not None:
                entry.download(target)
        return target

    checkout = download

    def file(self, root: str | None = None) -> str:
        if len(self._entries) != 1:
            raise ValueError(f"artifact {self._name} holds {len(self._entries)} files; file() is for those with one")
        return next(iter(self._entries.values())).download(root)

    def files(self, names: Any = None, per_page: int = 50, start: Any = None) -> list[Entry]:
        return [one for one in self._entries.values() if names is None or one.path in names]

    def wait(self, timeout: Any = None) -> Artifact:
        return self

    def verify(self, root: Any = None) -> None:
        """Files are named by the hash of their content."""

    def save(self, project: Any = None, settings: Any = None) -> None:
        from flatout.track import state

        if state.run is not None:
            state.run.log_artifact(self)

    def link(self, target_path: str, aliases: Any = None) -> None:
        say_once("Artifact.link: there is no registry here")

    def unlink(self) -> None:
        return None

    def delete(self, delete_aliases: bool = False) -> None:
        say_once("Artifact.delete: an artifact goes with its run (flatout rm)")

    def new_draft(self) -> Artifact:
        out = Artifact(self._name, self.type, self.description, self.metadata)
        out._entries, out._objects = dict(self._entries), dict(self._objects)
        return out

    def used_by(self) -> list[Any]:
        return []

    def logged_by(self) -> Any:
        return None

    def _folder(self) -> str:
        if self._own is None:
            import tempfile

            self._own = tempfile.mkdtemp(prefix="flatout-artifact-")
        return self._own

    def drop(self) -> None:
        """Removes the folder of its own."""
        own, self._own = getattr(self, "_own", None), None
        if own is not None and sys.meta_path is not None:  # it is None while the interpreter ends
            import shutil

            shutil.rmtree(own, ignore_errors=True)

    __del__ = drop

    def keep(self, channel: Channel, aliases: list[str]) -> None:
        """Its files into the recording."""
        for at, (name, obj) in enumerate(self._objects.items()):
            body = obj.written(channel) if hasattr(obj, "written") else plain(obj)
            path = os.path.join(self._folder(), f"object{at}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({name: body}, file)
            self._entries[f"{name}.json"] = Entry(f"{name}.json", path)
        self._version = self.digest[:12]
        self.aliases = list(dict.fromkeys(["latest", *self.aliases, *aliases]))
        about = {"name": self._name, "type": self.type, "version": self._version, "aliases": self.aliases,
                 "description": plain(self.description), "metadata": plain(self.metadata)}
        for entry in self._entries.values():
            body = {"path": entry.path, "kind": "artifact", "artifact": about}
            if entry._local is None:
                channel.fact("track_file", {**body, "reference": entry.ref})
                continue
            kept = channel.file(entry._local, os.path.splitext(entry.path)[1].lstrip("."))
            if kept is not None:
                channel.fact("track_file", {**body, "file": kept[0], "bytes": kept[1]})
                there = os.path.join(channel.recording.folder or "", kept[0])
                entry._local = there if os.path.isfile(there) else entry._local
        if not self._entries:
            channel.fact("track_file", {"path": "", "kind": "artifact", "artifact": about})
        if not any((entry._local or "").startswith((self._own or "\0") + os.sep) for entry in self._entries.values()):
            self.drop()


def _content(entry: Entry) -> bytes:
    if entry._local is None:
        return (entry.ref or "").encode("utf-8", "replace")
    import hashlib

    out = hashlib.sha256()
    try:
        with open(entry._local, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                out.update(block)
    except OSError:
        return b""
    return out.digest()


def _link_or_copy(path: str, copy: str) -> None:
    """A link, which outlives the removal of `path` and costs nothing; a copy where the file system has none."""
    if os.path.lexists(copy):
        os.unlink(copy)
    try:
        os.link(path, copy)
    except OSError:
        import shutil

        shutil.copyfile(path, copy)
