// Numbers of runtime and driver functions, made from NVIDIA's headers by generate.py.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simgpu::cupti {

struct CallbackId {
  std::uint32_t number;
  const char* name;  // as the enumerator ends: cudaLaunchKernel_v7000
};
const std::vector<CallbackId>& runtime_callback_ids();
const std::vector<CallbackId>& driver_callback_ids();

// Of the functions of this release, without a version for those of the runtime.
const std::unordered_map<std::string_view, std::uint32_t>& runtime_functions();
const std::unordered_map<std::string_view, std::uint32_t>& driver_functions();

}  // namespace simgpu::cupti
