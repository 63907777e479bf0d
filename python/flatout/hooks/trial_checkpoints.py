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

import functools
import os
import shutil

_CALLBACK = 7
_SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors")


def folder():
    return os.environ.get("FLATOUT_TRIAL_DIVERT", "")


class Diversion:
    """Where checkpoints go. Nothing of it raises: an error of ours leaves the path as it was."""

    def __init__(self, native, top):
        self.native = native
        self.top = top

    def there(self, path):
        """Where `path` is written, or None where it is written as it is."""
        try:
            text = os.path.abspath(os.fsdecode(path))
            if not self.native.write_is_outside(os.fsencode(text)):
                return None
            return self.top + text
        except Exception:  # a file object, a descriptor
            return None

    def to_write(self, path):
        there = self.there(path)
        if there is None:
            return path
        try:
            os.makedirs(os.path.dirname(there), exist_ok=True)
        except OSError:
            return path
        return there

    def to_read(self, path):
        there = self.there(path)
        return path if there is None or not os.path.lexists(there) else there

    def wrap(self, holder, name, position, keyword, view):
        """Have holder.name called with view(path) in the place of its path."""
        function = getattr(holder, name)

        @functools.wraps(function)
        def diverted(*args, **kwargs):
            if len(args) > position:
                args = (*args[:position], view(args[position]), *args[position + 1 :])
            elif keyword in kwargs:
                kwargs = {**kwargs, keyword: view(kwargs[keyword])}
            return function(*args, **kwargs)

        setattr(holder, name, diverted)
        return diverted


def install(native, torch, frameworks):
    if not folder():
        _list(native, torch, frameworks)
        return
    diversion = Diversion(native, folder())
    torch.serialization.save = diversion.wrap(torch, "save", 1, "f", diversion.to_write)
    torch.serialization.load = diversion.wrap(torch, "load", 0, "f", diversion.to_read)
    _files(diversion)
    for target, make in _frameworks(diversion):
        frameworks.missing.append((target, _replacing(make)))


def _list(native, torch, frameworks):
    """These two write by themselves, unseen by Python."""

    def writes(args, _nothing):
        if len(args) > 1 and isinstance(args[1], (str, os.PathLike)):
            native.note_write(os.fspath(args[1]))

    native.hook(torch, "save", _CALLBACK, before=writes)
    hook = lambda holder, name, _function: native.hook(holder, name, _CALLBACK, before=writes)  # noqa: E731
    frameworks.missing.append((("safetensors.torch", "", "serialize_file"), hook))


def _replacing(make):
    return lambda holder, name, function: setattr(holder, name, make(function))


def _files(diversion):
    """A diverted checkpoint is renamed and removed where it is; the user's own stay."""

    def renaming(function):
        @functools.wraps(function)
        def renamed(src, dst, *args, **kwargs):
            there = diversion.there(src)
            if there is None or not os.path.lexists(there):
                return function(src, dst, *args, **kwargs)
            return function(there, diversion.to_write(dst))

        return renamed

    def removing(function):
        @functools.wraps(function)
        def removed(path, *args, **kwargs):
            there = diversion.there(path)
            if there is not None and os.path.lexists(there):
                return function(there)
            # Any other file (a lock, a temporary one) is the program's to remove.
            if there is not None and os.fspath(path).endswith(_SUFFIXES) and os.path.isfile(path):
                return None
            return function(path, *args, **kwargs)

        return removed

    remove_tree = shutil.rmtree

    @functools.wraps(remove_tree)
    def removed_tree(path, *args, **kwargs):
        there = diversion.there(path)
        if there is None:
            return remove_tree(path, *args, **kwargs)
        return remove_tree(there, *args, **kwargs) if os.path.lexists(there) else None

    for name in ("rename", "replace"):
        setattr(os, name, renaming(getattr(os, name)))
    for name in ("remove", "unlink"):
        setattr(os, name, removing(getattr(os, name)))
    shutil.rmtree = removed_tree


def _frameworks(diversion):
    """((module, class, name), make) as Frameworks takes them."""

    def with_path(position, keyword, view):
        return lambda function: diversion.wrap(_Holder(function), "function", position, keyword, view)

    write, read = diversion.to_write, diversion.to_read
    targets = [
        (("safetensors.torch", "", "serialize_file"), with_path(1, "filename", write)),
        (("safetensors.torch", "", "safe_open"), with_path(0, "filename", read)),
        (("transformers.modeling_utils", "PreTrainedModel", "save_pretrained"), with_path(1, "save_directory", write)),
        (("transformers.trainer", "Trainer", "save_model"), with_path(1, "output_dir", write)),
        (("transformers.trainer", "Trainer", "_save_checkpoint"), lambda function: _in_output_dir(diversion, function)),
    ]
    for package in ("lightning.pytorch.plugins.io.torch_io", "lightning.fabric.plugins.io.torch_io"):
        targets += [
            ((package, "TorchCheckpointIO", "save_checkpoint"), with_path(2, "path", write)),
            ((package, "TorchCheckpointIO", "load_checkpoint"), with_path(1, "path", read)),
            ((package, "TorchCheckpointIO", "remove_checkpoint"), lambda function: _remove_diverted(diversion, function)),
        ]
    return targets


class _Holder:
    def __init__(self, function):
        self.function = function


def _in_output_dir(diversion, function):
    """The Trainer's own: all files of a checkpoint, and the rotation of older ones."""

    @functools.wraps(function)
    def saved(self, *args, **kwargs):
        own = self.args.output_dir
        there = diversion.there(own)
        if there is None:
            return function(self, *args, **kwargs)
        self.args.output_dir = there
        try:
            os.makedirs(there, exist_ok=True)
            return function(self, *args, **kwargs)
        finally:
            self.args.output_dir = own

    return saved


def _remove_diverted(diversion, function):
    @functools.wraps(function)
    def removed(self, path):
        there = diversion.there(path)
        if there is None:
            return function(self, path)
        return function(self, there) if os.path.lexists(there) else None

    return removed
