"""What a loader's collate_fn makes of its samples: where the pictures and the labels stand in a batch.

Known: torch's default_collate, transformers' default_data_collator and DefaultDataCollator, and functions of the program
that do nothing else than stack tensors, make a tensor of whole numbers, call one of these, and mix the batch by
torchvision's v2.MixUp and v2.CutMix.
"""

from __future__ import annotations

import sys

from .answers import named
from . import mixing
from .program_run import Follower
from .program_values import Cell, Each, Known, Mapping, Row, Sequence, Stacked, Tensor
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator


class Arrangement:
    """Called with [pictures, labels], gives the batch. `pictures`: Tensor; `labels`: Cell or None; `mix`: for the engine's
    spec, or None."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        leaves = list(_leaves(structure))
        pictures = [leaf for leaf in leaves if type(leaf.element) is Tensor]
        labels = [leaf for leaf in leaves if type(leaf.element) is Cell]
        if len(pictures) != 1 or len({leaf.element.column for leaf in labels}) > 1:
            raise Refused("a batch of %d pictures and %d columns for each sample has no native form" % (len(pictures), len(labels)))
        self.pictures = pictures[0].element
        self.labels = labels[0].element if labels else None
        self.mix = pictures[0].mix
        if any(leaf.mix is not self.mix for leaf in labels):
            raise Refused("labels that are not mixed as their pictures are have no native form")

    def __call__(self, pair: Any) -> Any:
        return _filled(self.structure, pair)


def arrangement(torch: ModuleType, function: Callable[..., Any], row: Any) -> Any:
    """Of the batches that `function` makes of samples like `row`, a Row."""
    def calls(thing: Any, given: Any, named: Any) -> Any:
        return _known_call(torch, thing, given, named)

    try:
        return Arrangement(Follower(calls).call(function, [Each(row)], {}))
    except Refused as reason:
        raise Refused("%s, which makes its batches, has no native form: %s" % (named(function), reason))


def _known_call(torch: ModuleType, thing: Any, given: Any, named: Any) -> Any:
    collate = torch.utils.data._utils.collate
    rows = given[0].element if len(given) == 1 and type(given[0]) is Each else None
    if type(rows) is Row and not named:
        if thing is collate.default_collate:
            return _by_torch(rows.parts)
        if _is_transformers(thing):
            return _by_transformers(rows.parts)
    if thing is torch.stack and type(rows) is Tensor and _says(named, dim=(0,)):
        return Stacked(rows)
    if type(rows) is Cell and (thing is torch.tensor and _says(named, dtype=(torch.int64,)) or thing is torch.LongTensor and not named):
        return _stacked("a tensor", rows)
    return None if named else mixing.mixed(thing, given)


def _says(named: Any, **may: Any) -> bool:
    return all(type(value) is Known and value.thing in may.get(name, ()) for name, value in named.items())


def _stacked(what: str, element: Any) -> Any:
    if type(element) is Tensor or type(element) is Cell and element.kind == "whole":
        return Stacked(element)
    raise Refused("%s of %s" % (what, "column %s, which is no whole number" % (element.column,) if type(element) is Cell else "a picture"))


def _by_torch(parts: Any) -> Any:
    if type(parts) is tuple:
        return Sequence(list, [_stacked("default_collate", part) for part in parts])
    return Mapping({key: _stacked("default_collate", part) for key, part in parts.items()})


def _is_transformers(thing: Any) -> bool:
    module = sys.modules.get("transformers.data.data_collator")
    if module is None:
        return False
    return thing is module.default_data_collator or type(thing) is module.DefaultDataCollator and thing.return_tensors == "pt"


def _by_transformers(parts: Any) -> Any:
    if type(parts) is tuple or "label_ids" in parts:
        raise Refused("transformers' collator of such samples")
    out = {}
    if "label" in parts:
        out["labels"] = _stacked("a tensor", parts["label"])
    for key, part in parts.items():
        if key != "label" and not (type(part) is Cell and part.kind == "text"):
            out[key] = _stacked("a tensor", part)
    return Mapping(out)


def _leaves(structure: Any) -> Iterator[Any]:
    if type(structure) is Stacked:
        yield structure
    elif type(structure) in (Mapping, Sequence):
        for part in structure.parts.values() if type(structure) is Mapping else structure.parts:
            yield from _leaves(part)
    else:
        raise Refused("a batch that holds more than tensors of pictures and of whole numbers")


def _filled(structure: Any, pair: Any) -> Any:
    if type(structure) is Stacked:
        return pair[type(structure.element) is Cell]
    if type(structure) is Mapping:
        return {key: _filled(part, pair) for key, part in structure.parts.items()}
    return structure.kind(_filled(part, pair) for part in structure.parts)
