"""Artifacts: named sets of files, kept among the run's files by the hash of their content."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from typing import IO, Any

from flatout.track._staging import Staged, stage, stage_folder
from flatout.track.artifact_entry import Entry
from flatout.track.channel import Channel
from flatout.track.entry_names import can_be_a_path, folder_name, name_inside, plain_name
from flatout.track.errors import say_once
from flatout.track.plain import plain, text_of

__all__ = ["Artifact", "ArtifactTTL", "Entry"]

MAX_FILES = 100_000
_OF_THE_NAME = (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EILSEQ)


class ArtifactTTL:
    """Of wandb's name: nothing here expires by itself."""

    INHERIT = "inherit"


class Artifact:
    """An artifact, as in wandb. Its files are copied as they are added (_staging.py); those of policy "immutable" are read when it is logged."""

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
        self._made: dict[str, Staged] = {}  # by new_file(): name -> the folder of that file
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
            out.update(path.encode("utf-8", "replace") + b"\0" + self._entries[path].content() + b"\0")
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
        path = os.fsdecode(os.fspath(local_path))
        if not os.path.isfile(path):
            raise ValueError(f"Path is not a file: {path!r}")
        return self._add(path, name_inside(name or os.path.basename(path)), policy, overwrite)

    def add_dir(self, local_path: Any, name: str | None = None, skip_cache: bool | None = False, policy: str | None = "mutable",
                merge: bool = False) -> None:
        root = os.fsdecode(os.fspath(local_path))
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
                self._add(path, name_inside(os.path.join(name or "", os.path.relpath(path, root))), policy, merge)

    def _add(self, path: str, at: str, policy: str | None, overwrite: bool) -> Entry:
        if policy not in (None, "mutable", "immutable"):
            raise ValueError(f"Invalid policy {policy!r}. Policy may only be `mutable` or `immutable`.")
        staged = stage(path) if policy != "immutable" else None
        entry = Entry(at, os.path.abspath(path), staged=staged, given=path, default_root=os.path.join("artifacts", folder_name(self._name)))
        before = self._entries.get(at)
        if before is not None and not overwrite and before.content() != entry.content():
            raise ValueError(f"Cannot add the same path twice: {at!r}")
        self._entries[at] = entry
        return entry

    @contextlib.contextmanager
    def new_file(self, name: str, mode: str = "x", encoding: str | None = None, policy: str = "mutable") -> Iterator[IO[Any]]:
        at = name_inside(name)
        folder = self._made.get(at) or stage_folder()
        path = os.path.join(folder.path, os.path.basename(at))
        try:
            file = open(path, mode, encoding=None if "b" in mode else encoding or "utf-8")
        except FileExistsError:
            raise ValueError(f"File with name {name!r} already exists at {path!r}") from None
        self._made[at] = folder
        with file:
            yield file
        self._add(path, at, "mutable", "x" not in mode)  # its folder may be gone before the artifact is logged

    def add_reference(self, uri: Any, name: Any = None, checksum: bool = True, max_objects: int | None = None) -> list[Entry]:
        """A file of file://, which is kept; each file of such a folder, or any other address, which are only named."""
        text = text_of(uri, 4096)
        local = text[len("file://"):] if text.startswith("file://") else None
        if local is not None and not os.path.exists(local):
            raise ValueError(f"add_reference: {local!r} is not there")
        if local is not None and os.path.isdir(local):
            return self._add_references(local, "" if name is None else plain_name(name), max_objects or MAX_FILES)
        at = name_inside(name if name is not None else text.rstrip("/").rpartition("/")[2] or text)
        self._entries[at] = Entry(at, local if local and os.path.isfile(local) else None, text)
        return [self._entries[at]]

    def _add_references(self, root: str, name: str, most: int) -> list[Entry]:
        found = sorted(os.path.join(folder, one) for folder, _, names in os.walk(root) for one in names)
        files = [path for path in found if os.path.isfile(path)]
        if len(files) > most:
            raise ValueError(f"add_reference: {root!r} holds {len(files)} files, more than max_objects, {most}")
        out = []
        for path in files:
            at = name_inside(os.path.join(name, os.path.relpath(path, root)))
            self._entries[at] = Entry(at, None, "file://" + os.path.abspath(path), about=os.stat(path))
            out.append(self._entries[at])
        return out

    def add(self, obj: Any, name: Any, overwrite: bool = False) -> Any:
        at = plain_name(name)
        name_inside(f"{at}.json")
        self._objects[at] = obj
        return obj

    def remove(self, item: Any) -> None:
        """A file, or all those of a folder."""
        at = item.path if isinstance(item, Entry) else plain_name(item)
        for path in [one for one in self._entries if one == at or one.startswith(at + "/")]:
            del self._entries[path]

    def get(self, name: str) -> Any:
        return self._objects.get(name)

    def get_entry(self, name: Any) -> Entry:
        return self._entries[plain_name(name)]

    get_path = get_entry

    def get_added_local_path_name(self, local_path: str) -> str | None:
        return next((one.path for one in self._entries.values() if local_path in (one.given, one._local)), None)

    def download(self, root: Any = None, *_: Any, **__: Any) -> str:
        """Its files below `root`, or below a folder ./artifacts/NAME. Left out, with a line, is what a file or a link there stands in
        the way of, and what cannot be a name there."""
        target = os.fspath(root or self._root)
        os.makedirs(target, exist_ok=True)
        for entry in self._entries.values():
            if entry._local is None:
                continue
            try:
                if not can_be_a_path(entry.path):
                    raise OSError(errno.EILSEQ, "no file can have this name")
                entry.download(target)
            except OSError as error:
                if error.errno not in _OF_THE_NAME:
                    raise
                say_once(f"artifact {self._name}: {text_of(entry.path, 200)} is not put below {target}: {error}")
        return target

    @property
    def _root(self) -> str:
        """Where it is downloaded to."""
        return os.path.join("artifacts", f"{folder_name(self._name)}-{self.version}")

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

    def keep(self, channel: Channel, aliases: list[str]) -> None:
        """Its files into the recording."""
        for name, obj in self._objects.items():
            body = obj.written(channel) if hasattr(obj, "written") else plain(obj)
            staged = stage(json.dumps({name: body}).encode())
            if staged is not None:
                self._entries[f"{name}.json"] = Entry(f"{name}.json", None, staged=staged)
        self._version = self.digest[:12]
        self.aliases = list(dict.fromkeys(["latest", *self.aliases, *aliases]))
        about = {"name": self._name, "type": self.type, "version": self._version, "aliases": self.aliases,
                 "description": plain(self.description), "metadata": plain(self.metadata)}
        for entry in self._entries.values():
            entry.default_root = self._root
            self._keep_entry(entry, channel, about)
        if not self._entries:
            channel.fact("track_file", {"path": "", "kind": "artifact", "artifact": about})
        self._made.clear()

    @staticmethod
    def _keep_entry(entry: Entry, channel: Channel, about: dict[str, Any]) -> None:
        body = {"path": plain(entry.path), "kind": "artifact", "artifact": about}
        if entry._local is None:
            channel.fact("track_file", {**body, "reference": entry.ref})
            return
        kept = channel.file(entry._local, os.path.splitext(entry.path)[1].lstrip("."), entry.path)
        if kept is not None:
            channel.fact("track_file", {**body, "file": kept[0], "bytes": kept[1]})
            there = os.path.join(channel.recording.folder or "", kept[0])
            if os.path.isfile(there):
                entry.kept(there)
