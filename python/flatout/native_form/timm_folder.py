"""timm's ImageDataset over its folder reader, as a list of JPEG files, and what timm's create_loader() puts around it.

timm skips a picture that cannot be read and gives the next one: the engine gives an error
there, so that batch is fetched from the dataset, which does as ever.
"""

from __future__ import annotations

import functools
import sys

from .folder import listed
from .refused import Refused
from .steps import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_DATASET, _READER, _LOADER = "timm.data.dataset", "timm.data.readers.reader_image_folder", "timm.data.loader"


def is_timm(dataset: Any) -> bool:
    module = sys.modules.get(_DATASET)
    return module is not None and issubclass(type(dataset), module.ImageDataset)


def samples_of(dataset: Any, looked_at: int | None = None) -> Any:
    """As folder.samples_of()."""
    known, kind = sys.modules[_DATASET].ImageDataset, type(dataset)
    for method in ("__getitem__", "__len__", "__getitems__"):
        if getattr(kind, method, None) is not getattr(known, method, None):
            raise Refused("%s.%s has %s() of its own" % (kind.__module__, kind.__qualname__, method))
    readers = sys.modules.get(_READER)
    reader = dataset.reader
    if readers is None or type(reader) is not readers.ReaderImageFolder:
        raise Refused("timm's %s has no native form" % (type(reader).__qualname__,))
    if dataset.load_bytes:
        raise Refused("timm's ImageDataset with load_bytes has no native form")
    if dataset.input_img_mode != "RGB":
        raise Refused("timm's ImageDataset with input_img_mode %r has no native form" % (dataset.input_img_mode,))
    if dataset.target_transform is not None:
        raise Refused("target_transform has no native form")
    if getattr(dataset, "additional_features", None) is not None:
        raise Refused("timm's ImageDataset with additional_features has no native form")
    return listed(reader.samples, looked_at)


def is_fast_collate(function: Callable[..., Any]) -> bool:
    """Bytes of pictures and labels, as a pair."""
    module = sys.modules.get(_LOADER)
    return module is not None and function is module.fast_collate


def mixed(function: Callable[..., Any]) -> dict[str, Any] | None:
    """FastCollateMixup as the engine's "mix" and "classes"; None for any other."""
    module = sys.modules.get("timm.data.mixup")
    if module is None or type(function) is not module.FastCollateMixup:
        return None
    if function.mode != "batch":
        raise Refused("timm's FastCollateMixup of mode %s has no native form; that of mode batch has one" % (function.mode,))
    if function.cutmix_minmax is not None or getattr(function, "multi_label", False):
        raise Refused("timm's FastCollateMixup with cutmix_minmax or multi_label has no native form")
    if type(function.num_classes) is not int:
        raise Refused("timm's FastCollateMixup with %r classes has no native form" % (function.num_classes,))
    mix = {"mixup_alpha": max(0, number(function.mixup_alpha)), "cutmix_alpha": max(0, number(function.cutmix_alpha)),
           "p": number(function.mix_prob) if function.mixup_enabled else 0, "switch_p": number(function.switch_prob),
           "correct": bool(function.correct_lam), "smoothing": number(function.label_smoothing)}  # fmt: skip
    return {"mix": [{"timm": mix}], "classes": function.num_classes}


def seeds_workers_alone(function: Callable[..., Any]) -> bool:
    """create_loader()'s worker_init_fn, which only seeds what a worker's own transforms would draw from."""
    module = sys.modules.get(_LOADER)
    return (
        module is not None
        and type(function) is functools.partial
        and function.func is module._worker_init
        and not function.args
        and function.keywords.get("worker_seeding", "all") in ("all", "part")
    )
