"""torchvision's transforms, v1 and v2, as steps of the loading engine.

A chain goes from a PIL picture to a tensor of bytes to one of float32. What the engine
does to pixels is what torchvision does to PIL pictures, bit for bit. Of tensors torchvision
rounds otherwise, so what recolours a tensor is refused, and so is what resizes one, but
for the bilinear filter with antialias on bytes: v2's usual chain. It gives the same numbers
within one grey level (docs/knobs/dataloader.engine.md has the measured shares).
"""

from __future__ import annotations

import sys

from .answers import has_name
from . import timm_policies, timm_steps
from .nested import NESTED
from .refused import Refused
from .steps import STEPS, never, number, numbers
from .unchanged import Unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

_PICTURE, _BYTES, _FLOATS = "a PIL picture", "a tensor of bytes", "a tensor of floats"
_PUBLIC = ("torchvision.transforms.v2", "torchvision.transforms")


class Lowering:
    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch
        self.unchanged = Unchanged()
        self.now = _PICTURE
        self.steps: list[Any] = []
        self.scaling = None
        self.normalize: Any = None
        self.array = None  # what made a NumPy array of it, once it came
        self.erasing: Any = None  # (parameters, value in the numbers that stood there; None = noise), once it came

    def take(self, transform: Any) -> None:
        """The next transform of the chain, with all that it holds."""
        for part in self._parts(transform):
            name = self._name(part)
            if self.array is not None:
                raise Refused("%s after %s has no native form" % (_title(part), _title(self.array)))
            if name in _STEPS or name in NESTED or name in _CONVERSIONS:
                self.unchanged.thing(part)
            if name in _STEPS:
                self._step(name, part)
            elif name in NESTED:
                self._before_erasing(part)
                self.steps.append(NESTED[name](part, _title(part), self._within))
            elif name in _CONVERSIONS:
                getattr(self, "_" + name.replace(timm_steps.PUBLIC, "timm_"))(part)
            else:
                raise Refused("%s has no native form" % (_title(part),))

    def spec(self) -> Any:
        if self.now == _PICTURE:
            raise Refused("the transforms do not end with a tensor")
        steps = list(self.steps)
        if self.erasing is not None:
            parameters, value = self.erasing
            steps.append({"random_erasing": {**parameters, **({"noise": True} if value is None else {"value": value})}})
        out = {"steps": steps, "dtype": "uint8" if self.now == _BYTES else "float32", "pillow_major": _pillow_major()}
        if self.now == _FLOATS:
            out["scaling"] = self.scaling
        if self.normalize is not None:
            out["normalize"] = {"mean": self.normalize[0], "std": self.normalize[1]}
        return out

    def _parts(self, transform: Any) -> list[Any]:
        kind = type(transform)
        if kind is self.torch.nn.Sequential:
            inner = list(transform)
        elif self._name(transform) == "Compose":
            inner = transform.transforms
        else:
            return [transform]
        self.unchanged.thing(transform)
        return [part for one in inner for part in self._parts(one)]

    def _name(self, part: Any) -> Any:
        """The name of a class of torchvision's, None for any other."""
        kind = type(part)
        if kind is self.torch.nn.Identity:
            return "Identity"
        if not kind.__module__.startswith("torchvision.transforms."):
            return timm_steps.name_of(part)
        if getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is not kind:
            return None
        return kind.__qualname__

    def _step(self, name: str, part: Any) -> None:
        lower, of_tensors = _STEPS[name]
        if self.now != _PICTURE and not of_tensors(part, self.now == _BYTES, self.normalize is not None):
            raise Refused("%s of %s has no native form; it has one of a PIL picture" % (_title(part), self.now))
        self._before_erasing(part)
        step = lower(part, _title(part))
        if step is not None:
            self.steps.append(step)

    def _before_erasing(self, part: Any) -> None:
        if self.erasing is not None:
            raise Refused("%s after RandomErasing has no native form" % (_title(part),))

    def _within(self, transforms: Any) -> Any:
        """Steps of transforms that happen by chance, so that what they leave must be what they took."""
        inner = Lowering(self.torch)
        inner.unchanged = self.unchanged
        inner.now, inner.scaling, inner.normalize = before = self.now, self.scaling, self.normalize
        for transform in transforms:
            inner.take(transform)
        if (inner.now, inner.scaling, inner.normalize) != before or inner.erasing is not None or inner.array is not None:
            raise Refused("a random choice of what makes tensors, normalizes or erases has no native form")
        return inner.steps

    # Conversions and what works on the numbers.

    def _Identity(self, part: Any) -> None:
        pass

    def _RGB(self, part: Any) -> None:
        pass  # pil_loader gives RGB

    def _ToPureTensor(self, part: Any) -> None:
        pass

    def _ToTensor(self, part: Any) -> None:
        if self.now != _PICTURE:
            raise Refused("%s of a tensor has no native form" % (_title(part),))
        self.now = _BYTES
        self._becomes_float(self.torch.get_default_dtype(), "divide", part)

    def _PILToTensor(self, part: Any) -> None:
        if self.now == _PICTURE:
            self.now = _BYTES

    _ToImage = _PILToTensor

    def _ConvertImageDtype(self, part: Any) -> None:
        self._becomes_float(part.dtype, "multiply" if ".v2." in type(part).__module__ else "divide", part)

    def _ToDtype(self, part: Any) -> None:
        self._becomes_float(part.dtype, "multiply" if part.scale else "none", part)

    def _becomes_float(self, dtype: Any, scaling: Any, part: Any) -> None:
        torch = self.torch
        if self.now == _PICTURE or self.erasing is not None:
            raise Refused("%s at this place has no native form" % (_title(part),))
        if dtype is torch.uint8 and self.now == _BYTES or dtype is torch.float32 and self.now == _FLOATS:
            return
        if dtype is not torch.float32:
            raise Refused("%s to %s has no native form" % (_title(part), dtype))
        self.now, self.scaling = _FLOATS, scaling

    def _Normalize(self, part: Any) -> None:
        if self.now != _FLOATS or self.normalize is not None:
            raise Refused("%s at this place has no native form" % (_title(part),))
        mean, std = (_of_channels(values, part) for values in (part.mean, part.std))
        if 0 in std:
            raise Refused("%s with a deviation of 0 has no native form" % (_title(part),))
        self.normalize = (mean, std)
        if self.erasing is not None:
            parameters, value = self.erasing
            if value is None:
                raise Refused("%s after RandomErasing with random values has no native form" % (_title(part),))
            value = [(one - m) / s for one, m, s in zip(value, mean, std)]
            self.erasing = (parameters, value)

    def _RandomErasing(self, part: Any) -> None:
        if self.now == _PICTURE or self.erasing is not None:
            raise Refused("%s at this place has no native form" % (_title(part),))
        parameters = {"p": number(part.p), "scale": numbers(part.scale, 2), "ratio": numbers(part.ratio, 2)}
        noise = part.value is None or part.value == "random"
        self.erasing = (parameters, None if noise else _of_channels(part.value, part))


    # timm's own.

    def _timm_MaybeToTensor(self, part: Any) -> None:
        if self.now == _PICTURE:
            self._ToTensor(part)

    _timm_MaybePILToTensor = _PILToTensor

    def _timm_ToNumpy(self, part: Any) -> None:
        if self.now != _PICTURE:
            raise Refused("%s of a tensor has no native form" % (_title(part),))
        self.now, self.array = _BYTES, part  # collated, an array is what a tensor is

    def _timm_ToTensor(self, part: Any) -> None:
        self._PILToTensor(part)
        self._becomes_float(part.dtype, "none", part)

    def _timm_RandomErasing(self, part: Any) -> None:
        if self.now != _FLOATS or self.erasing is not None:
            raise Refused("%s at this place has no native form" % (_title(part),))
        self.erasing = timm_steps.erasing(part, _title(part))


_STEPS: dict[str, tuple[Callable[..., Any], Callable[..., bool]]] = {
    **STEPS,
    "timm.RandomResizedCropAndInterpolation": (timm_steps.random_resized_crop, never),
    "timm.CenterCropOrPad": (timm_steps.center_crop_or_pad, never),
    "timm.RandAugment": (timm_policies.rand_augment, never),
    "timm.AutoAugment": (timm_policies.auto_augment, never),
}
_CONVERSIONS = ("timm.MaybeToTensor", "timm.MaybePILToTensor", "timm.ToNumpy", "timm.ToTensor", "timm.RandomErasing",
                "Identity", "RGB", "ToPureTensor", "ToTensor", "PILToTensor", "ToImage", "ConvertImageDtype",
                "ToDtype", "Normalize", "RandomErasing")  # fmt: skip


def _of_channels(values: Any, part: Any) -> Any:
    """One number for each of red, green and blue."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    values = [values] if isinstance(values, (int, float)) else list(values)
    if len(values) not in (1, 3):
        raise Refused("%s with %d values has no native form" % (_title(part), len(values)))
    values = [number(value) for value in values]
    return values * 3 if len(values) == 1 else values


def _title(part: Any) -> str:
    """As the program's author writes it."""
    kind = part if has_name(part) else type(part)
    for public in _PUBLIC:
        if kind.__module__.startswith(public + "."):
            return "%s.%s" % (public, kind.__qualname__)
    if part is None:
        return "no transform at all"
    return "%s.%s" % (kind.__module__, kind.__qualname__)


def _pillow_major() -> Any:
    version = getattr(sys.modules.get("PIL"), "__version__", "")
    major = version.partition(".")[0]
    if not major.isdigit():
        raise Refused("the version of Pillow is not known")
    return int(major)
