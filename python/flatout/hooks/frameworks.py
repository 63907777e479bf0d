"""The registry: which frameworks have hooks, and the class of each.

A further one is a row here, a package beside torch/ with a class like torch/framework.py's, and a row in _FRAMEWORKS of
python/site/sitecustomize.py, by which it is seen to come. Only the package of the one that came is loaded, and it
must import all it needs at once: its modules do not stay in sys.modules.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _torch() -> Any:
    from .torch.framework import Torch

    return Torch


_CLASSES = {"torch": _torch}


def load_class(name: str) -> Any:
    return _CLASSES[name]()
