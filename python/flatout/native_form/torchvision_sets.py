"""torchvision's own sets of picture files that are no ImageFolder, such as Food101, as lists of files.

Each gives `loader(file)` through `transform`, and a whole number. Which of its attributes hold files and labels is
torchvision's own affair, so one that has changed them is refused.
"""

from __future__ import annotations

import sys

from .folder import check_reader, listed
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FILES_AND_LABELS = ("DTD", "FGVCAircraft", "Flowers102", "Food101", "SUN397")
_SAMPLES = ("Imagenette", "StanfordCars")
_PETS = "OxfordIIITPet"


def known_class(dataset: Any) -> Any:
    """The class of torchvision's that the dataset is one of, or None."""
    public = sys.modules.get("torchvision.datasets")
    for kind in type(dataset).__mro__ if public is not None else ():
        name = kind.__name__
        if name in (*_FILES_AND_LABELS, *_SAMPLES, _PETS) and getattr(public, name, None) is kind:
            return kind
    return None


def samples_of(dataset: Any, looked_at: int | None = None) -> Any:
    """As folder.samples_of()."""
    known, kind = known_class(dataset), type(dataset)
    for method in ("__getitem__", "__len__", "__getitems__"):
        if getattr(kind, method, None) is not getattr(known, method, None):
            raise Refused("%s.%s has %s() of its own" % (kind.__module__, kind.__qualname__, method))
    if hasattr(dataset, "loader"):
        check_reader(dataset)
    if dataset.target_transform is not None:
        raise Refused("target_transform has no native form")
    if known.__name__ == _PETS:
        _check_pets(dataset)
        pairs = zip(dataset._images, dataset._labels)
    else:
        pairs = dataset._samples if known.__name__ in _SAMPLES else zip(dataset._image_files, dataset._labels)
    return listed([(str(file), label) for file, label in pairs], looked_at)


def _check_pets(dataset: Any) -> None:
    if dataset._target_types != ["category"]:
        raise Refused("OxfordIIITPet with the targets %s has no native form" % (", ".join(dataset._target_types),))
    joint = dataset.transforms
    if type(joint) is not sys.modules["torchvision.datasets.vision"].StandardTransform or joint.transform is not dataset.transform:
        raise Refused("OxfordIIITPet with transforms of picture and target has no native form")
