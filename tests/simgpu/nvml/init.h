// Whether the library is initialized, and what texts it gives.
#pragma once

#include <string_view>

#include "nvml/api.h"

namespace simgpu::nvml {

bool is_initialized();

// Copies `text` with its end, as all calls of NVML do that give one.
nvmlReturn_t give_text(std::string_view text, char* buffer, unsigned bytes);

}  // namespace simgpu::nvml
