"""One function a transform that crops, resizes, flips or recolours: the engine's step with its parameters.

Each takes the object and how it is called, and gives {"name of the step": parameters},
None where it does nothing, or Refused.
"""

from __future__ import annotations

from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_FILTERS = ("bilinear", "bicubic", "box", "hamming", "lanczos")


def number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused("%r, a parameter of a transform, is no plain number" % (value,))
    return value


def numbers(values: Any, count: int) -> Any:
    values = [number(value) for value in values]
    if len(values) != count:
        raise Refused("%r, a parameter of a transform, has not %d numbers" % (values, count))
    return values


def sides(size: Any) -> Any:
    """[height, width]"""
    both = [size] if isinstance(size, int) else list(size)
    return numbers(both * 2 if len(both) == 1 else both, 2)


def _mode(part: Any) -> Any:
    return getattr(part.interpolation, "value", part.interpolation)


def filter_of(part: Any, title: str) -> Any:
    mode = _mode(part)
    if mode not in _FILTERS:
        raise Refused("%s with interpolation %s has no native form" % (title, mode))
    return mode


def _random_resized_crop(part: Any, title: str) -> dict[str, Any]:
    return {"random_resized_crop": {"size": sides(part.size), "scale": numbers(part.scale, 2),
                                    "ratio": numbers(part.ratio, 2), "interpolation": filter_of(part, title)}}  # fmt: skip


def _resize(part: Any, title: str) -> dict[str, Any]:
    if part.size is None or part.max_size is not None:
        raise Refused("%s with max_size has no native form" % (title,))
    given = [part.size] if isinstance(part.size, int) else numbers(part.size, len(part.size))
    size = given[0] if len(given) == 1 else sides(given)
    return {"resize": {"size": size, "interpolation": filter_of(part, title)}}


def _center_crop(part: Any, _title: str) -> dict[str, Any]:
    return {"center_crop": {"size": sides(part.size)}}


def _random_crop(part: Any, title: str) -> dict[str, Any]:
    padding = _padding(part.padding, title)
    pads = padding > 0 or part.pad_if_needed
    if pads and not is_black(part.fill):
        raise Refused("%s with fill %r has no native form" % (title, part.fill))
    if pads and part.padding_mode != "constant":
        raise Refused("%s with padding_mode %s has no native form" % (title, part.padding_mode))
    return {"random_crop": {"size": sides(part.size), "padding": padding, "pad_if_needed": bool(part.pad_if_needed)}}


def _padding(padding: Any, title: str) -> Any:
    given = [] if padding is None else [padding] if isinstance(padding, int) else list(padding)
    if len(set(given)) > 1:
        raise Refused("%s with different padding on its sides has no native form" % (title,))
    return int(number(given[0])) if given else 0


def is_black(fill: Any) -> bool:
    if fill is None:
        return True
    return fill == 0 if isinstance(fill, (int, float)) else isinstance(fill, (tuple, list)) and all(one == 0 for one in fill)


_WARP_FILTERS = ("nearest", "bilinear", "bicubic")


def _style(part: Any, title: str) -> dict[str, Any]:
    """How what turns or shears a picture takes its pixels, and what it fills with."""
    mode = _mode(part)
    if mode not in _WARP_FILTERS:
        raise Refused("%s with interpolation %s has no native form" % (title, mode))
    fill = part.fill
    if isinstance(fill, dict):
        raise Refused("%s with a fill by type has no native form" % (title,))
    values: list[Any] = [0] if fill is None else [fill] if isinstance(fill, (int, float)) else list(fill)
    values = [int(number(value)) for value in values]
    if len(values) not in (1, 3) or not all(0 <= value <= 255 for value in values):
        raise Refused("%s with fill %r has no native form" % (title, fill))
    return {"interpolation": mode, "fill": values[0] if len(values) == 1 else values}


def _with_center(part: Any) -> dict[str, Any]:
    return {"center": numbers(part.center, 2)} if part.center else {}


def _random_rotation(part: Any, title: str) -> dict[str, Any]:
    return {"random_rotation": {"degrees": numbers(part.degrees, 2), "expand": bool(part.expand), **_style(part, title), **_with_center(part)}}


def _random_affine(part: Any, title: str) -> dict[str, Any]:
    out = {"degrees": numbers(part.degrees, 2), **_style(part, title)}
    if part.center is not None:
        out["center"] = numbers(part.center, 2)
    for name in ("translate", "scale"):
        if getattr(part, name) is not None:
            out[name] = numbers(getattr(part, name), 2)
    if part.shear is not None:
        out["shear"] = numbers(part.shear, len(part.shear))
    return {"random_affine": out}


def _random_perspective(part: Any, title: str) -> dict[str, Any]:
    return {"random_perspective": {"distortion_scale": number(part.distortion_scale), "p": number(part.p), **_style(part, title)}}


def _posterize(part: Any, title: str) -> dict[str, Any]:
    if part.bits not in range(1, 9):
        raise Refused("%s with %r bits has no native form" % (title, part.bits))
    return {"random_posterize": {"bits": part.bits, "p": number(part.p)}}


def _solarize(part: Any, _title: str) -> dict[str, Any]:
    return {"random_solarize": {"threshold": number(part.threshold), "p": number(part.p)}}


def _sharpness(part: Any, _title: str) -> dict[str, Any]:
    return {"random_adjust_sharpness": {"sharpness_factor": number(part.sharpness_factor), "p": number(part.p)}}


def _blur(part: Any, _title: str) -> dict[str, Any]:
    return {"gaussian_blur": {"kernel_size": numbers(part.kernel_size, 2), "sigma": numbers(part.sigma, 2)}}


def _policy(step: Any, *names: Any) -> Callable[..., Any]:
    def lower(part: Any, title: str) -> dict[str, Any]:
        out = {**_style(part, title), "v2": ".v2." in type(part).__module__}
        for name in names:
            out[name] = number(getattr(part, name))
        if step == "auto_augment":
            out["policy"] = part.policy.value
        return {step: out}

    return lower


def _color_jitter(part: Any, _title: str) -> dict[str, Any] | None:
    names = ("brightness", "contrast", "saturation", "hue")
    ranges = {name: numbers(getattr(part, name), 2) for name in names if getattr(part, name) is not None}
    return {"color_jitter": ranges} if ranges else None


def _grayscale(part: Any, title: str) -> dict[str, Any]:
    if part.num_output_channels != 3:
        raise Refused("%s with %s channel has no native form" % (title, part.num_output_channels))
    return {"grayscale": {}}


def _chance(step: Any) -> Callable[..., Any]:
    return lambda part, _title: {step: {"p": number(part.p)}}


# Whether the transform does to a tensor what it does to a picture.


def never(_part: object, _of_bytes: bool, _normalized: bool) -> bool:
    return False


def _always(_part: object, _of_bytes: bool, _normalized: bool) -> bool:
    return True


def _while_zero_is_black(_part: object, _of_bytes: bool, normalized: bool) -> bool:
    return not normalized


def _within_a_grey_level(part: Any, of_bytes: bool, _normalized: bool) -> Any:
    return of_bytes and part.antialias is True and _mode(part) == "bilinear"


# Name of the class -> (function, whether of tensors too).
STEPS: dict[str, tuple[Callable[..., Any], Callable[..., bool]]] = {
    "RandomResizedCrop": (_random_resized_crop, _within_a_grey_level),
    "Resize": (_resize, _within_a_grey_level),
    "CenterCrop": (_center_crop, _while_zero_is_black),
    "RandomCrop": (_random_crop, _while_zero_is_black),
    "RandomHorizontalFlip": (_chance("random_horizontal_flip"), _always),
    "RandomVerticalFlip": (_chance("random_vertical_flip"), _always),
    "ColorJitter": (_color_jitter, never),
    "RandomRotation": (_random_rotation, never),
    "RandomAffine": (_random_affine, never),
    "RandomPerspective": (_random_perspective, never),
    "RandomInvert": (_chance("random_invert"), never),
    "RandomPosterize": (_posterize, never),
    "RandomSolarize": (_solarize, never),
    "RandomAutocontrast": (_chance("random_autocontrast"), never),
    "RandomEqualize": (_chance("random_equalize"), never),
    "RandomAdjustSharpness": (_sharpness, never),
    "GaussianBlur": (_blur, never),
    "RandAugment": (_policy("rand_augment", "num_ops", "magnitude", "num_magnitude_bins"), never),
    "TrivialAugmentWide": (_policy("trivial_augment_wide", "num_magnitude_bins"), never),
    "AutoAugment": (_policy("auto_augment"), never),
    "Grayscale": (_grayscale, never),
    "RandomGrayscale": (_chance("random_grayscale"), never),
}
