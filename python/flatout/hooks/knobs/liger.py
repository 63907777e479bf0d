"""kernels.liger: fused layers of Liger Kernel in a Hugging Face model.

Needs the package liger_kernel with a function for the model's type, and a CUDA device.
Set: Liger's own change of the instance, before the first training forward; evaluation
takes it, too. Undone: the methods that were set on the model's parts are taken off;
what Liger changed in modules of transformers stays until the program ends.
Draws: none; fused kernels round differently.
"""

from __future__ import annotations

import importlib

from .model_kernels import ModelKernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATCHES = "liger_kernel.transformers.monkey_patch"


class Liger(ModelKernels):
    id = "kernels.liger"
    package = "liger_kernel"

    def __init__(self, *needs: Any) -> None:
        super().__init__(*needs)
        self.before: list[Any] = []  # (part, its own attributes before)

    def unfit(self, model: Any) -> str | None:
        kinds = importlib.import_module(_PATCHES).MODEL_TYPE_TO_APPLY_LIGER_FN
        kind = getattr(model.config, "model_type", None)
        return None if kind in kinds else "Liger Kernel knows no model of type %s" % kind

    def change(self, model: Any) -> tuple[None, dict[str, Any]]:
        self.before = [(part, set(vars(part))) for part in model.modules()]
        importlib.import_module(_PATCHES)._apply_liger_kernel_to_instance(model)
        return None, {}

    def put_back(self) -> None:
        for part, names in self.before:
            for name in set(vars(part)) - names:
                del part.__dict__[name]
        self.before.clear()
