"""torchvision.datasets.ImageFolder and DatasetFolder as a list of JPEG, PNG and WebP files.

Needs the methods of torchvision, its pil_loader, and labels that are whole numbers. What
a subclass changes in how its list is made does not matter.
"""

from __future__ import annotations

import sys

from .answers import named
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDER = "torchvision.datasets.folder"
_ENDINGS = (".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp")  # after lower(); files of other names may be of other formats


def samples_of(dataset: Any, looked_at: int | None = None) -> Any:
    """The dataset's own list of (path, label), or Refused. Only the first `looked_at` are
    looked at where that is given."""
    folder = sys.modules.get(_FOLDER)
    kind = type(dataset)
    if folder is None or not issubclass(kind, folder.DatasetFolder):
        raise Refused("%s.%s has no native form" % (kind.__module__, kind.__qualname__))
    for method in ("__getitem__", "__len__", "__getitems__"):
        if getattr(kind, method, None) is not getattr(folder.DatasetFolder, method, None):
            raise Refused("%s.%s has %s() of its own" % (kind.__module__, kind.__qualname__, method))
    check_reader(dataset)
    if dataset.target_transform is not None:
        raise Refused("target_transform has no native form")
    return listed(dataset.samples, looked_at)


def listed(samples: Any, looked_at: int | None) -> Any:
    """The list of (path, label), where the first `looked_at` of it are JPEG files with whole numbers."""
    if type(samples) is not list or not samples:
        raise Refused("the dataset has no list of samples")
    for path, label in samples[:looked_at]:
        if type(path) is not str or not path.lower().endswith(_ENDINGS):
            raise Refused("%s is no JPEG, PNG or WebP file by its name" % (path,))
        if type(label) is not int:
            raise Refused("the label of %s is no whole number" % (path,))
    return samples


def check_reader(dataset: Any) -> None:
    """Refused where its pictures are not read by Pillow."""
    folder, reader = sys.modules[_FOLDER], dataset.loader
    if reader is folder.default_loader:
        # accimage decodes with another library.
        backend = sys.modules["torchvision"].get_image_backend()
        if backend != "PIL":
            raise Refused("torchvision's image backend %s has no native form" % (backend,))
    elif reader is not folder.pil_loader:
        raise Refused("the dataset's loader, %s, has no native form" % (named(reader),))
