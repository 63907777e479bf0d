// The environment's say over TF32: CUDA C++ Programming Guide, "CUDA Environment Variables",
// NVIDIA_TF32_OVERRIDE: 0 keeps NVIDIA's libraries from it, whatever the program asks for.
#pragma once

#include <cstdlib>
#include <string_view>

namespace simgpu {

inline bool tf32_is_forbidden() {
  static const bool forbidden = [] {
    const char* const value = std::getenv("NVIDIA_TF32_OVERRIDE");
    return value != nullptr && std::string_view(value) == "0";
  }();
  return forbidden;
}

}  // namespace simgpu
