// Looks on at what the program does with CUDA.
#pragma once

namespace simgpu::cupti {

// From the first use of CUPTI on, for the rest of the process; a child after fork begins anew.
void watch();

}  // namespace simgpu::cupti
