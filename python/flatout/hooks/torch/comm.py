"""comm: the host blocked in a collective.

The Python functions of torch.distributed stay untouched, because torch.compile
knows them by identity; what blocks is the wait on their Work. On CUDA it does not
block: see device_comm.py.
"""

from __future__ import annotations

from . import device_comm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .._native import Native
    from ..core.occasions import Occasions

PHASE = 0
COMM = 6


def install(native: Native, torch: ModuleType, occasions: Occasions) -> None:
    if not torch.distributed.is_available():
        return
    from torch._C._distributed_c10d import ProcessGroup, Work

    native.hook(Work, "wait", PHASE, COMM)
    if torch.version.cuda:
        device_comm.install(native, torch, ProcessGroup, occasions)
