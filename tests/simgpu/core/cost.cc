#include "core/cost.h"

#include <algorithm>

#include "core/config.h"

namespace simgpu {
namespace {

constexpr double kCopyStart_s = 1e-6;  // a copy engine's own latency

Nanoseconds scaled(double seconds) {
  return std::max<Nanoseconds>(1, static_cast<Nanoseconds>(seconds * config().slower * kSecond));
}

}  // namespace

Nanoseconds kernel_time(int device, double flops, FlopType type, double bytes) {
  const DeviceSpec& spec = spec_of(device);
  const double computing = flops / (peak_flops(spec, type) * kComputeEfficiency);
  const double moving = bytes / (spec.memory_bytes_per_s * kMemoryEfficiency);
  return scaled(static_cast<double>(spec.kernel_floor_ns) / kSecond + std::max(computing, moving));
}

Nanoseconds copy_time(int device, std::uint64_t bytes, bool pageable) {
  const DeviceSpec& spec = spec_of(device);
  return scaled(kCopyStart_s + static_cast<double>(bytes) / (pageable ? spec.pageable_bytes_per_s
                                                                      : spec.pinned_bytes_per_s));
}

Nanoseconds on_device_copy_time(int device, std::uint64_t bytes) {
  const DeviceSpec& spec = spec_of(device);  // each byte is read and written
  return scaled(kCopyStart_s +
                2 * static_cast<double>(bytes) / (spec.memory_bytes_per_s * kMemoryEfficiency));
}

}  // namespace simgpu
