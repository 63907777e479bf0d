#pragma once

#include <cstddef>

#include "driver/module.h"

namespace simgpu::driver {

// Blocks that fit onto a multiprocessor of the current device at once: by threads, registers,
// shared memory and the most that there may be (CUDA C++ Best Practices Guide, "Calculating
// Occupancy").
int blocks_of_multiprocessor(const Function& function, int threads, std::size_t dynamic_shared);

}  // namespace simgpu::driver
