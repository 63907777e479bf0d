"""Files that the program reads: torch.load, and what core/readers.py knows of other libraries."""

from ..core.readers import STAGE, install_lazily


def install(native, torch):
    install_lazily(native)
    native.hook(torch, "load", STAGE, stage="torch.load")
