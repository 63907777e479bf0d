#include "core/context.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/config.h"
#include "core/memory.h"
#include "core/process.h"

namespace simgpu {
namespace {

// About what an empty process holds on such a device.
constexpr std::uint64_t kContextBytes = 300ULL << 20U;

std::array<bool, 64> opened{};

}  // namespace

void open_context(int device) {
  const Locked guard(process().lock);
  bool& one = opened[static_cast<std::size_t>(device)];
  if (!one) {
    one = true;
    memory::take(device, std::min(kContextBytes, memory_of(device) / 16));
  }
}

bool has_context(int device) {
  const Locked guard(process().lock);
  return opened[static_cast<std::size_t>(device)];
}

}  // namespace simgpu
