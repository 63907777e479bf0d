"""cuda.cudnn_benchmark: cuDNN tries its algorithms for each new shape and keeps the fastest.

Needs a model on a CUDA device; pays off where shapes stay the same.
Set: torch.backends.cudnn.benchmark, when torch is imported. Undone: as it was.
Draws: none, but another algorithm rounds differently.
"""

from __future__ import annotations

from .flag import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CudnnBenchmark(Flag):
    id = "cuda.cudnn_benchmark"

    def get(self) -> Any:
        return self.torch._C._get_cudnn_benchmark()

    def put(self, value: Any) -> None:
        self.torch._C._set_cudnn_benchmark(value)

    def wanted(self, value: Any) -> Any:
        return value
