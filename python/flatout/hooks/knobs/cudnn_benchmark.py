"""cuda.cudnn_benchmark: cuDNN tries its algorithms for each new shape and keeps the fastest.

Needs a model on a CUDA device; pays off where shapes stay the same.
Set: torch.backends.cudnn.benchmark, when torch is imported. Undone: as it was.
Draws: none, but another algorithm rounds differently.
"""

from .flag import Flag


class CudnnBenchmark(Flag):
    id = "cuda.cudnn_benchmark"

    def get(self):
        return self.torch._C._get_cudnn_benchmark()

    def put(self, value):
        self.torch._C._set_cudnn_benchmark(value)

    def wanted(self, value):
        return value
