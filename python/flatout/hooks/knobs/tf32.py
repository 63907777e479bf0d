"""precision.tf32: float32 matrix products on tensor cores with 10 bits of mantissa.

Needs a model on a CUDA device.
Set: torch.set_float32_matmul_precision("high"), "highest" for false, when torch is
imported. Undone: as it was.
Draws: none; products are rounded to TF32.
"""

from .flag import Flag


class Tf32(Flag):
    id = "precision.tf32"

    def get(self):
        try:
            return self.torch._C._get_float32_matmul_precision()
        except RuntimeError:  # the program uses torch's newer names, which rule out this one
            return None

    def put(self, value):
        self.torch._C._set_float32_matmul_precision(value)

    def wanted(self, value):
        return "high" if value else "highest"

    def shown(self, flag):
        return None if flag is None else flag != "highest"
