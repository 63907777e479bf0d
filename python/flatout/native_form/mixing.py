"""torchvision's v2.MixUp, v2.CutMix and a v2.RandomChoice of them, applied to a batch, as the engine's "mix".

The engine pairs samples and mixes them as they do; what it draws for a batch depends on base seed and first sample.
"""

from __future__ import annotations

import sys

from .program_values import Cell, Sequence, Stacked, Tensor
from .refused import Refused
from .unchanged import Unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PUBLIC = "torchvision.transforms.v2"
_KINDS = {"MixUp": "mixup", "CutMix": "cutmix"}


def mixed(thing: Any, given: Any) -> Any:
    """What `thing` makes of a batch of (pictures, labels); None where it is nothing of these."""
    if _name(thing) not in ("MixUp", "CutMix", "RandomChoice"):
        return None
    pair, kind = given, tuple
    if len(given) == 1 and type(given[0]) is Sequence:
        pair, kind = given[0].parts, given[0].kind
    fits = len(pair) == 2 and all(type(one) is Stacked and one.mix is None for one in pair)
    if not fits or type(pair[0].element) is not Tensor or type(pair[1].element) is not Cell:
        raise Refused("%s of other than a batch of pictures and their labels" % (_name(thing),))
    mix = _mix(thing)
    return Sequence(kind, [Stacked(one.element, mix) for one in pair])


def _mix(thing: Any) -> dict[str, Any]:
    """{"mix": [...], "classes": number}"""
    Unchanged().thing(thing)
    parts = [thing]
    if _name(thing) == "RandomChoice":
        parts = list(thing.transforms)
        if len(set(thing.p)) != 1:
            raise Refused("RandomChoice with different probabilities")
    getter = sys.modules[_PUBLIC + "._utils"]._find_labels_default_heuristic
    for part in parts:
        if _name(part) not in _KINDS:
            raise Refused("RandomChoice of %s" % (type(part).__qualname__,))
        if part._labels_getter is not getter:
            raise Refused("%s with a labels_getter" % (_name(part),))
    classes = {part.num_classes for part in parts}
    if len(classes) != 1 or type(parts[0].num_classes) is not int:
        raise Refused("%s without one number of classes" % (_name(thing),))
    return {"mix": [{_KINDS[_name(part)]: {"alpha": part.alpha}} for part in parts], "classes": parts[0].num_classes}


def _name(thing: Any) -> Any:
    """The name of a class of torchvision's v2, None for any other."""
    kind = type(thing)
    public = sys.modules.get(_PUBLIC)
    if public is None or not kind.__module__.startswith(_PUBLIC + ".") or getattr(public, kind.__qualname__, None) is not kind:
        return None
    return kind.__qualname__
