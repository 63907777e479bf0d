#include "nvml/device.h"

#include <algorithm>
#include <array>

#include "nvml/init.h"

namespace simgpu::nvml {
namespace {

constexpr std::size_t kMost = 64;

struct Devices {
  std::array<nvmlDevice_st, kMost> whole{};
  std::array<nvmlDevice_st, kMost> instances{};
};

Devices& devices() {
  static auto* const made = [] {
    auto* all = new Devices;
    for (std::size_t i = 0; i < kMost; ++i) {
      all->whole[i] = {.index = static_cast<int>(i), .is_instance = false};
      all->instances[i] = {.index = static_cast<int>(i), .is_instance = true};
    }
    return all;
  }();
  return *made;
}

bool is_ours(nvmlDevice_t device) {
  const Devices& all = devices();
  const auto count = static_cast<std::size_t>(device_count());
  for (const auto* list : {&all.whole, &all.instances}) {
    for (std::size_t i = 0; i < count; ++i) {
      if (device == &(*list)[i]) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

nvmlDevice_t whole_device(int index) { return &devices().whole[static_cast<std::size_t>(index)]; }

nvmlDevice_t instance_of(int index) {
  return &devices().instances[static_cast<std::size_t>(index)];
}

nvmlReturn_t refusal(nvmlDevice_t device, std::initializer_list<const void*> outputs) {
  if (!is_initialized()) {
    return NVML_ERROR_UNINITIALIZED;
  }
  const bool missing = std::find(outputs.begin(), outputs.end(), nullptr) != outputs.end();
  return missing || !is_ours(device) ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

}  // namespace simgpu::nvml
