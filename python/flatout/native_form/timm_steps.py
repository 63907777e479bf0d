"""timm's own transforms, as steps of the loading engine, beside those of torchvision that it uses."""

from __future__ import annotations

import sys

from .refused import Refused
from .steps import filter_of, is_black, number, numbers, sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PREFIX = "timm.data."
PUBLIC = "timm."  # before the names here, since some are torchvision's too


def name_of(part: Any) -> Any:
    """"timm.ToNumpy" for a class of timm's, None for any other."""
    kind = type(part)
    if not kind.__module__.startswith(_PREFIX) or getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
        return None
    return PUBLIC + kind.__qualname__


def random_resized_crop(part: Any, title: str) -> dict[str, Any]:
    mode = part.interpolation
    if isinstance(mode, (tuple, list)):
        if [getattr(one, "value", one) for one in mode] != ["bilinear", "bicubic"]:
            raise Refused("%s with interpolations %s has no native form" % (title, mode))
        mode = "random"
    else:
        mode = filter_of(part, title)
    return {"random_resized_crop": {"size": sides(part.size), "scale": numbers(part.scale, 2), "ratio": numbers(part.ratio, 2),
                                    "interpolation": mode}}  # fmt: skip


def center_crop_or_pad(part: Any, title: str) -> dict[str, Any]:
    if not is_black(part.fill) or part.padding_mode != "constant":
        raise Refused("%s with fill %r and padding_mode %s has no native form" % (title, part.fill, part.padding_mode))
    return {"center_crop": {"size": sides(part.size)}}


def erasing(part: Any, title: str) -> tuple[Any, list[Any] | None]:
    """(parameters, value in the numbers that stand there, None = noise)"""
    import math

    if part.mode not in ("", "const", "rand", "pixel"):
        raise Refused("%s with mode %s has no native form" % (title, part.mode))
    parameters = {"p": number(part.probability), "scale": [number(part.min_area), number(part.max_area)],
                  "ratio": [math.exp(number(one)) for one in part.log_aspect_ratio], "count": [part.min_count, part.max_count]}  # fmt: skip
    if part.mode == "rand":
        parameters["one_colour"] = True
    return parameters, None if part.mode in ("rand", "pixel") else [0.0, 0.0, 0.0]
