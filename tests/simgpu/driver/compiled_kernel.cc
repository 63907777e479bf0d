#include "driver/compiled_kernel.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/memory.h"

namespace simgpu::driver {
namespace {

constexpr double kElementBytes = 4;

bool is_pointwise(std::string_view name) { return name.starts_with("triton_poi_"); }
bool is_reduction(std::string_view name) {
  return name.starts_with("triton_red_") || name.starts_with("triton_per_");
}

template <typename Value>
Value value_of(const void* argument) {
  Value value{};
  std::memcpy(&value, argument, sizeof(value));
  return value;
}

}  // namespace

double moved_bytes(const KernelImage& kernel, void** arguments, unsigned grid_y) {
  const bool pointwise = is_pointwise(kernel.name);
  if (arguments == nullptr || (!pointwise && !is_reduction(kernel.name))) {
    return 0;
  }
  double tensors = 0;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::uint32_t bytes = kernel.parameters[i].bytes;
    if (bytes == sizeof(std::int32_t)) {
      numbers.push_back(value_of<std::int32_t>(arguments[i]));
    } else if (bytes == sizeof(void*)) {
      const void* const address = value_of<const void*>(arguments[i]);
      tensors += memory::find(address).where == memory::Where::kDevice ? 1 : 0;
    }
  }
  // The last numbers are those of elements: one, or two of a tile or a reduction. Sizes of dynamic
  // shapes stand before them.
  const std::size_t dimensions = pointwise && grid_y == 1 ? 1 : 2;
  double elements = numbers.empty() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(dimensions, numbers.size()); ++i) {
    elements *= numbers[numbers.size() - 1 - i];
  }
  return tensors * elements * kElementBytes;
}

}  // namespace simgpu::driver
