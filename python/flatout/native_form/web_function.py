"""What a function given to WebDataset's map() makes of a sample: followed, not run (program_run.py)."""

from __future__ import annotations

from .answers import named
from .program_run import Follower
from .program_values import Cell, Picture, Row, Sequence, Tensor
from .refused import Refused
from .web_members import DECODED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def followed(function: Callable[..., Any], keys: Any, label: Any) -> tuple[Any, list[Any]]:
    """(key of the picture, what it goes through in turn) of a function that gives a picture and the label as a tuple. `keys`: those of
    the tuple that it takes; None: it takes the sample itself, by the endings of its files."""
    title = named(function)
    pictures = {key: Picture(key, True) for key in DECODED}
    if keys is None:
        sample: Any = Row({**pictures, label: Cell(label, "whole")})
    else:
        sample = Sequence(tuple, [Picture(keys[0], True), Cell(label, "whole")])
    try:
        made = Follower().call(function, [sample], {})
    except Refused as reason:
        raise Refused("map(%s) has no native form: %s" % (title, reason))
    parts: Any = made.parts if type(made) is Sequence and made.kind is tuple else ()
    if len(parts) != 2 or type(parts[0]) is not Tensor or type(parts[1]) is not Cell:
        raise Refused("map(%s) has no native form: it gives other than a tuple of a picture and its label" % (title,))
    return parts[0].column, list(parts[0].transforms)


def paired(picture: Any, label: Any) -> Callable[..., Any]:
    """In place of such a function: a stage that gives a sample's two members."""
    return lambda samples: ((sample[picture], sample[label]) for sample in samples)
