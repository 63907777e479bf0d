#pragma once

#include "driver/module.h"

namespace simgpu::driver {

// What a kernel that PyTorch's compiler wrote moves: its names say what it is, and its arguments
// are tensors, then numbers of elements (torch/_inductor/codegen/triton.py). Each tensor is taken
// to have an element of 4 bytes for each of the kernel's: their types are not in a cubin, and what
// is broadcast or reduced is smaller. 0 for any other kernel.
double moved_bytes(const KernelImage& kernel, void** arguments, unsigned grid_y);

}  // namespace simgpu::driver
