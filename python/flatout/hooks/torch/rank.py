"""Which rank of how many this process is, once its process group stands."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions


def install(native: Native, torch: ModuleType, occasions: Occasions) -> None:
    if torch.distributed.is_available():
        occasions.listen(_Rank(native, torch.distributed).look)


class _Rank:
    def __init__(self, native: Native, distributed: Any) -> None:
        self.native = native
        self.distributed = distributed
        self.said: Any = None

    def look(self, _module: Any, _device: Any) -> None:
        if not self.distributed.is_initialized():
            return
        facts = {
            "rank": self.distributed.get_rank(),
            "world_size": self.distributed.get_world_size(),
            "backend": str(self.distributed.get_backend()),
        }
        local = os.environ.get("LOCAL_RANK", "")
        if local.isdigit():
            facts["local_rank"] = int(local)
        if os.environ.get("MASTER_ADDR", "") in ("localhost", "127.0.0.1", "::1"):
            self.native.expect_ranks(facts["world_size"])  # where the launcher does not say it
        if facts != self.said:
            self.said = facts
            self.native.fact("rank", json.dumps(facts))
