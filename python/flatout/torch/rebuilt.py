"""Libraries that build a loader anew as torch's own class, from the arguments that torch knows: what is lost then is said.

Lightning builds it as the class it was, with all arguments. accelerate (so transformers' Trainer too) takes each of torch's arguments
from the loader that it was given; there is no other sign of it.
"""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .loader import DataLoader

_BUILDERS = {"accelerate.data_loader": "accelerate"}
_DEFAULTS = {"engine": "torch", "on_bad_sample": "raise", "cache": None}


def look(loader: DataLoader[Any], reader: Any) -> None:
    """`reader`: the frame that reads one of the loader's arguments."""
    library = _BUILDERS.get(reader.f_globals.get("__name__"))
    lost = library and lost_of(loader)
    if lost:
        warnings.warn("%s builds this flatout.torch.DataLoader anew as a torch.utils.data.DataLoader, which leaves out %s; to keep them, "
                      "leave the loader out of prepare(), give it a DistributedSampler, and move its batches to the device yourself"
                      % (library, lost), RuntimeWarning, stacklevel=_above(reader))  # fmt: skip


def lost_of(loader: DataLoader[Any]) -> str:
    """The arguments that torch's class does not have, where they are not as it behaves; "" where all are."""
    given = ((name, getattr(loader, name)) for name, default in _DEFAULTS.items() if getattr(loader, name) != default)
    return ", ".join("%s=%r" % one for one in given)


def _above(frame: Any) -> Any:
    """The program's line: the first frame that is none of the library's."""
    level = 3  # as seen from look(), behind the property that was read
    package = frame.f_globals["__name__"].partition(".")[0]
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
