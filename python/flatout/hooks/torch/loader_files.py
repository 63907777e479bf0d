"""Some of the files that a loader's samples are read from, evenly over all of them: once the program has ended, flatout
measures on these what its loading engine would make of them (src/cli/engine_speed.cc).

Only looked at: no code of the program runs for it, and no file is opened.
"""

from __future__ import annotations

import json
import os
import pathlib

from ..native_form import Refused, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._native import Native

_MOST_FILES = 256
_MOST_BYTES = 40_000  # of the fact; a record of the ring holds 64 KiB
_MOST_LOADERS = 8
_MOST_ATTRIBUTES = 64
_PATHS = (str, pathlib.PosixPath)


class LoaderFiles:
    def __init__(self, native: Native) -> None:
        self.native = native
        # --no-bench and --no-argv: nothing is measured, and no names are kept.
        self.said = _MOST_LOADERS if os.environ.get("FLATOUT_LOADER_FILES") == "0" else 0

    def say(self, number: int, dataset: Any, form: Any) -> None:
        """`form`: the loader's native form, None where it has none."""
        if self.said >= _MOST_LOADERS:
            return
        try:
            facts = _of_form(form) if form is not None else _of_listed(dataset)
        except Exception:  # nothing can be measured then, and the advice says so
            return
        text = None if facts is None else _bounded({"loader": number, **facts})
        if text is not None:
            self.said += 1
            self.native.fact("loader_files", text)


def _of_form(form: Any) -> dict[str, Any]:
    if form.samples is None:
        return {"why_not": "its samples lie in tar shards"}
    count = len(form.samples if form.places is None else form.places)
    chosen = _evenly(count)
    if form.places is not None:
        chosen = [form.places[index] for index in chosen]
    facts = {"spec": {**form.spec, "batch_size": form.batch_size}, "samples": count}
    if hasattr(form.samples, "places"):
        return {**facts, **_of_blobs(form.samples, chosen)}
    return {**facts, "files": [form.samples[index][0] for index in chosen]}


def _of_blobs(blobs: Any, chosen: Any) -> dict[str, Any]:
    places = [[int(number) for number in blobs.places[index]] for index in chosen]
    used = sorted({place[0] for place in places})
    return {"files": [blobs.paths[file] for file in used], "places": [[used.index(place[0]), *place[1:]] for place in places]}


def _of_listed(dataset: Any) -> dict[str, Any] | None:
    """Of a dataset of the program that holds a list of pictures, or of tuples that begin with one."""
    import torch

    for _ in range(8):
        if type(dataset) is not torch.utils.data.Subset:
            break
        dataset = dataset.dataset
    held = object.__getattribute__(dataset, "__dict__")
    for value in list(held.values())[:_MOST_ATTRIBUTES]:
        if type(value) is not list or not value or _picture(value[0]) is None:
            continue
        files = [_picture(value[index]) for index in _evenly(len(value))]
        if None not in files:
            return {"samples": len(value), "files": [os.path.abspath(path) for path in files]}
    return None


def _picture(entry: Any) -> Any:
    """The path of a picture, as a text; None where it is none by its name."""
    if type(entry) in (tuple, list) and entry:
        entry = entry[0]
    if type(entry) not in _PATHS:
        return None
    path = str(entry)
    try:
        return path if folder.listed([(path, 0)], None) else None
    except Refused:
        return None


def _evenly(count: int) -> list[Any]:
    chosen = min(count, _MOST_FILES)
    return [index * count // chosen for index in range(chosen)]


def _bounded(facts: Any) -> Any:
    """As JSON, of as many of the files as fit."""
    while True:
        text = json.dumps({**facts, **_below_a_folder(facts)})
        if len(text) <= _MOST_BYTES:
            return text
        if "places" in facts:
            facts["places"] = facts["places"][::2]
            if len(facts["places"]) < 2:
                return None
        else:
            facts["files"] = facts["files"][::2]
            if len(facts["files"]) < 2:
                return None


def _below_a_folder(facts: Any) -> dict[str, Any]:
    if "files" not in facts:
        return {}
    files = [os.path.abspath(path) for path in facts["files"]]
    common = os.path.dirname(os.path.commonprefix(files))
    if common in ("", "/"):
        return {"files": files}
    return {"folder": common, "files": [path[len(common) + 1 :] for path in files]}
