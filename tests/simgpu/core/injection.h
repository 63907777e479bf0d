// The library that CUDA_INJECTION64_PATH names: CUDA loads it when it is initialised and calls its
// InitializeInjection() (CUPTI documentation, "Library support"; Nsight and PyTorch's dynolog come
// into a program this way).
#pragma once

namespace simgpu {

// Loads it once a process, before the first call that initialises CUDA; `function` is the entry
// point that is about to run.
void inject_before(const char* function);

}  // namespace simgpu
