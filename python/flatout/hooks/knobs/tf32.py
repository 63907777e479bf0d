"""precision.tf32: float32 matrix products on tensor cores with 10 bits of mantissa.

Needs a model on a CUDA device.
Set: torch.set_float32_matmul_precision("high"), "highest" for false, when torch is
imported. Undone: as it was.
Draws: none; products are rounded to TF32.
"""

from __future__ import annotations

from .flag import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Tf32(Flag):
    id = "precision.tf32"

    def get(self) -> Any:
        try:
            return self.torch._C._get_float32_matmul_precision()
        except RuntimeError:  # the program uses torch's newer names, which rule out this one
            return None

    def put(self, value: Any) -> None:
        self.torch._C._set_float32_matmul_precision(value)

    def wanted(self, value: Any) -> str:
        return "high" if value else "highest"

    def shown(self, flag: Any) -> bool | None:
        return None if flag is None else flag != "highest"
