"""The program's objects, looked at without calling code of theirs: what they would answer themselves is refused."""

from __future__ import annotations

import types

from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

_LIBRARIES = ("torch.", "torchvision.", "timm.", "datasets.", "webdataset.", "accelerate.", "lightning.", "flatout.", "builtins.", "typing.", "abc.")
_OF_LOADERS = ("dataset", "batch_sampler", "batch_size", "collate_fn", "worker_init_fn", "drop_last", "_dataset_kind")
_OF_SETS = ("samples", "loader", "transform", "target_transform", "transforms", "reader", "load_bytes", "input_img_mode",
            "_samples", "_labels", "_images", "_image_files", "_target_types")  # fmt: skip


def held(thing: Any) -> Any:
    """The attributes that lie in the object itself."""
    try:
        return object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}


def named(thing: Any) -> Any:
    """What a message calls it: its own name where it is a function or a class, else that of its class."""
    if type(thing) is types.MethodType:
        thing = thing.__func__
    return (thing if has_name(thing) else type(thing)).__qualname__


def has_name(thing: Any) -> bool:
    try:
        object.__getattribute__(thing, "__qualname__")
    except AttributeError:
        return False
    return True


def check_loader(loader: Any) -> None:
    _check(loader, _OF_LOADERS)


def check_set(dataset: Any) -> None:
    _check(dataset, _OF_SETS)


def _check(thing: Any, names: Sequence[str]) -> None:
    """Refused where a class of the program's computes one of these attributes, or all."""
    for kind in type(thing).__mro__:
        if (kind.__module__ + ".").startswith(_LIBRARIES):
            continue
        own = vars(kind)
        for name in ("__getattribute__", *(name for name in names if hasattr(type(own.get(name)), "__get__"))):
            if name in own:
                raise Refused("%s.%s has %s of its own" % (kind.__module__, kind.__qualname__, name if name in names else name + "()"))
