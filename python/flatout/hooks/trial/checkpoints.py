"""In a trial, checkpoints that would last go to a folder that is thrown away.

Only where no overlay covers what lies outside the working directory: there
FLATOUT_TRIAL_DIVERT names a folder, and the path of a checkpoint that would be
written outside (inject/write_watch.h knows) is replaced by one below it. What was
diverted is read, renamed and removed there. Older checkpoints stay where they are:
removing one that this trial did not write does nothing.

Covered: torch.save and torch.load, safetensors.torch, transformers.Trainer's own
checkpoints with their rotation, PreTrainedModel.save_pretrained, Lightning's. What a
program writes by other means (open(), HDF5, its own formats) is listed, not diverted.
"""

from __future__ import annotations

import os
import shutil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native
    from ..torch.trainers import Trainers

_CALLBACK, _SCOPED = 7, 10
_NOTHING = (None,)  # what the call gives where it does not take place
_SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors")


def folder() -> Any:
    return os.environ.get("FLATOUT_TRIAL_DIVERT", "")


class Diversion:
    """Where checkpoints go. Nothing of it raises: an error of ours leaves the path as it was."""

    def __init__(self, native: Native, top: Any) -> None:
        self.native = native
        self.top = top

    def there(self, path: str) -> Any:
        """Where `path` is written, or None where it is written as it is."""
        try:
            text = os.path.abspath(os.fsdecode(path))
            if not self.native.write_is_outside(os.fsencode(text)):
                return None
            return self.top + text
        except Exception:  # a file object, a descriptor
            return None

    def to_write(self, path: str) -> Any:
        there = self.there(path)
        if there is None:
            return path
        try:
            os.makedirs(os.path.dirname(there), exist_ok=True)
        except OSError:
            return path
        return there

    def to_read(self, path: str) -> Any:
        there = self.there(path)
        return path if there is None or not os.path.lexists(there) else there

    def hook(self, holder: Any, name: str, position: int, keyword: str, view: Any) -> None:
        """Have holder.name called with view(path) in the place of its path."""

        def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
            if len(args) > position:
                return (*args[:position], view(args[position]), *args[position + 1 :]), kwargs, None
            if kwargs and keyword in kwargs:
                return args, {**kwargs, keyword: view(kwargs[keyword])}, None
            return None

        self.around(holder, name, enter)

    def around(self, holder: Any, name: str, enter: Any, leave: Any = lambda _token, _result, _raised: None) -> None:
        """As inject/scoped_call.h has it: enter gives other arguments, or a result in the call's place."""
        self.native.hook(holder, name, _SCOPED, before=enter, after=leave)


def install(native: Native, torch: ModuleType, trainers: Trainers) -> None:
    if not folder():
        _list(native, torch, trainers)
        return
    diversion = Diversion(native, folder())
    diversion.hook(torch, "save", 1, "f", diversion.to_write)
    diversion.hook(torch, "load", 0, "f", diversion.to_read)
    _files(diversion)
    trainers.missing += _frameworks(diversion)


def _list(native: Native, torch: ModuleType, trainers: Trainers) -> None:
    """These two write by themselves, unseen by Python."""

    def writes(args: tuple[Any, ...], _nothing: object) -> None:
        if len(args) > 1 and isinstance(args[1], (str, os.PathLike)):
            native.note_write(os.fspath(args[1]))

    native.hook(torch, "save", _CALLBACK, before=writes)
    hook = lambda holder, name, _function: native.hook(holder, name, _CALLBACK, before=writes)  # noqa: E731
    trainers.missing.append((("safetensors.torch", "", "serialize_file"), hook))


def _files(diversion: Diversion) -> None:
    """A diverted checkpoint is renamed and removed where it is; the user's own stay."""

    def renaming(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, Any], None, None] | None:
        there = diversion.there(_argument(args, kwargs, 0, "src"))
        if there is None or not os.path.lexists(there):
            return None
        return (there, diversion.to_write(_argument(args, kwargs, 1, "dst"))), None, None

    def removing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        path = _argument(args, kwargs, 0, "path")
        there = diversion.there(path)
        if there is not None and os.path.lexists(there):
            return (there,), None, None
        # Any other file (a lock, a temporary one) is the program's to remove.
        kept = there is not None and os.fspath(path).endswith(_SUFFIXES) and os.path.isfile(path)
        return _NOTHING if kept else None

    def removing_tree(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        there = diversion.there(_argument(args, kwargs, 0, "path"))
        if there is None:
            return None
        return ((there, *args[1:]), _without(kwargs, "path"), None) if os.path.lexists(there) else _NOTHING

    for names, enter in ((("rename", "replace"), renaming), (("remove", "unlink"), removing)):
        for name in names:
            diversion.around(os, name, enter)
    diversion.around(shutil, "rmtree", removing_tree)


def _argument(args: tuple[Any, ...], kwargs: dict[str, Any], position: int, keyword: str) -> Any:
    return args[position] if len(args) > position else (kwargs or {}).get(keyword)


def _without(kwargs: dict[str, Any], keyword: str) -> dict[str, Any] | None:
    return None if kwargs is None else {name: value for name, value in kwargs.items() if name != keyword}


def _frameworks(diversion: Diversion) -> list[Any]:
    """((module, class, name), put) as Frameworks takes them."""

    def with_path(position: int, keyword: str, view: Any) -> Callable[..., Any]:
        return lambda holder, name, _function: diversion.hook(holder, name, position, keyword, view)

    def around(enter: Any, *leave: Any) -> Callable[..., Any]:
        return lambda holder, name, _function: diversion.around(holder, name, enter, *leave)

    write, read = diversion.to_write, diversion.to_read
    targets: list[Any] = [
        (("safetensors.torch", "", "serialize_file"), with_path(1, "filename", write)),
        (("safetensors.torch", "", "safe_open"), with_path(0, "filename", read)),
        (("transformers.modeling_utils", "PreTrainedModel", "save_pretrained"), with_path(1, "save_directory", write)),
        (("transformers.trainer", "Trainer", "save_model"), with_path(1, "output_dir", write)),
        (("transformers.trainer", "Trainer", "_save_checkpoint"), around(*_in_output_dir(diversion))),
    ]
    for package in ("lightning.pytorch.plugins.io.torch_io", "lightning.fabric.plugins.io.torch_io"):
        targets += [
            ((package, "TorchCheckpointIO", "save_checkpoint"), with_path(2, "path", write)),
            ((package, "TorchCheckpointIO", "load_checkpoint"), with_path(1, "path", read)),
            ((package, "TorchCheckpointIO", "remove_checkpoint"), around(_removing_diverted(diversion))),
        ]
    return targets


def _in_output_dir(diversion: Diversion) -> tuple[Any, ...]:
    """The Trainer's own: all files of a checkpoint, and the rotation of older ones."""

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, tuple[Any, Any]] | None:
        arguments = args[0].args
        own = arguments.output_dir
        there = diversion.there(own)
        if there is None:
            return None
        os.makedirs(there, exist_ok=True)
        arguments.output_dir = there
        return args, kwargs, (arguments, own)

    def leave(token: Any, _result: object, _raised: BaseException | None) -> None:
        token[0].output_dir = token[1]

    return enter, leave


def _removing_diverted(diversion: Diversion) -> Callable[..., Any]:
    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        there = diversion.there(_argument(args, kwargs, 1, "path"))
        if there is None:
            return None
        return ((args[0], there), None, None) if os.path.lexists(there) else _NOTHING

    return enter
