"""Which rank of how many this process is, once its process group stands."""

import json
import os


def install(native, torch, occasions):
    if torch.distributed.is_available():
        occasions.listen(_Rank(native, torch.distributed).look)


class _Rank:
    def __init__(self, native, distributed):
        self.native = native
        self.distributed = distributed
        self.said = None

    def look(self, _module, _device):
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
