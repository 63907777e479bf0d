"""precision.bf16: matrix products and convolutions in bfloat16, weights and loss in float32.

Needs a model in float32, no autocast and no GradScaler of the program's.
Set: torch.autocast(device, dtype=torch.bfloat16) around each training forward of a
root module, whose results come back in float32. Evaluation stays as it is.
Undone: between two forwards nothing is set.
Draws: none; products are rounded to 8 bits of mantissa.
"""

from __future__ import annotations

from .autocast import Autocast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Bf16(Autocast):
    id = "precision.bf16"
    dtype_name = "bfloat16"

    def refused(self, _module: Any, device: Any) -> str | None:
        if device == "cuda" and not self.torch.cuda.is_bf16_supported(including_emulation=False):
            return "this GPU computes no bfloat16"
        return None if device in ("cpu", "cuda") else "it is for models on a CPU or a CUDA device"
