"""timm's RandAugment and AutoAugment, which hold operations with their levels, as steps of the loading engine."""

from __future__ import annotations

import math
import sys

from .refused import Refused
from .steps import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODULE = "timm.data.auto_augment"
_FILTERS = {0: "nearest", 2: "bilinear", 3: "bicubic"}  # Pillow's Resampling
# The engine's operations; GaussianBlur, for one, is Pillow's own blur, which it has not.
_KINDS = frozenset((
    "AutoContrast", "Equalize", "Invert", "Rotate", "Posterize", "PosterizeIncreasing", "PosterizeOriginal", "Solarize", "SolarizeIncreasing",
    "SolarizeAdd", "Color", "ColorIncreasing", "Contrast", "ContrastIncreasing", "Brightness", "BrightnessIncreasing", "Sharpness",
    "SharpnessIncreasing", "ShearX", "ShearY", "TranslateX", "TranslateY", "TranslateXRel", "TranslateYRel", "Desaturate"))  # fmt: skip


def rand_augment(part: Any, _title: str) -> dict[str, Any]:
    weights = part.choice_weights
    out = {"steps": [[_operation(one)] for one in part.ops], "count": part.num_layers, "distinct": weights is not None}
    if weights is not None:
        out["p"] = [number(float(one)) for one in weights]
    return {"random_choice": out}


def auto_augment(part: Any, _title: str) -> dict[str, Any]:
    return {"random_choice": {"steps": [[_operation(one) for one in pair] for pair in part.policy]}}


def _operation(one: Any) -> dict[str, Any]:
    module = sys.modules[_MODULE]
    if type(one) is not module.AugmentOp:
        raise Refused("%s in a policy of timm's has no native form" % (type(one).__qualname__,))
    name, held = one.name, one.hparams
    if name not in _KINDS or one.aug_fn is not module.NAME_TO_OP[name] or one.level_fn is not module.LEVEL_TO_ARG[name]:
        raise Refused("timm's operation %s has no native form" % (name,))
    out = {"op": name, "p": number(one.prob), "magnitude": number(one.magnitude), "most": number(one.magnitude_max or module._LEVEL_DENOM)}
    deviation = number(one.magnitude_std)
    if math.isinf(deviation):
        out["evenly"] = True
    elif deviation > 0:
        out["deviation"] = deviation
    if name in ("TranslateX", "TranslateY"):
        out["translate"] = number(held["translate_const"])
    if name in ("TranslateXRel", "TranslateYRel"):
        out["translate_share"] = number(held.get("translate_pct", 0.45))
    if name.startswith("Posterize"):
        out["blackens"] = _blackens()
    out.update(_style(module, one, name))
    return {"timm_operation": out}


def _blackens() -> bool:
    """Whether this Pillow posterizes to 0 bits, which newer ones refuse."""
    try:
        sys.modules["PIL.ImageOps"].posterize(sys.modules["PIL.Image"].new("L", (1, 1)), 0)
    except ValueError:
        return False
    return True


def _style(module: Any, one: Any, name: str) -> dict[str, Any]:
    """How it takes its pixels, and what it fills with."""
    fill, taken = one.kwargs["fillcolor"], one.kwargs["resample"]
    if not isinstance(fill, (tuple, list)) or len(fill) != 3 or not all(type(value) is int and 0 <= value <= 255 for value in fill):
        raise Refused("timm's operation %s with fill %r has no native form" % (name, fill))
    if taken == module._RANDOM_INTERPOLATION:
        mode: str | None = "random"
    else:
        mode = None if isinstance(taken, (tuple, list)) else _FILTERS.get(int(taken))
    if mode is None:
        raise Refused("timm's operation %s with interpolation %s has no native form" % (name, taken))
    return {"fill": list(fill), "interpolation": mode}
