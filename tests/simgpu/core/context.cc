#include "core/context.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/config.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/process.h"

namespace simgpu {
namespace {

// About what an empty process holds on such a device.
constexpr std::uint64_t kContextBytes = 300ULL << 20U;

struct Context {
  std::uint32_t number = 0;  // 0: not made yet
};
std::array<Context, 64> contexts{};
std::uint32_t made = 0;

Context& context_of(int device) { return contexts[static_cast<std::size_t>(device)]; }

}  // namespace

void open_context(int device) {
  const Locked guard(process().lock);
  Context& one = context_of(device);
  if (one.number != 0) {
    return;
  }
  one.number = ++made;
  memory::take(device, std::min(kContextBytes, memory_of(device) / 16));
  if (Observer* const looking = observer()) {
    looking->context_opened(device);
  }
}

bool has_context(int device) { return context_number(device) != 0; }

std::uint32_t context_number(int device) {
  const Locked guard(process().lock);
  return context_of(device).number;
}

void* context_handle(int device) { return &context_of(device); }

int device_of_context(const void* handle) {
  const auto* const one = static_cast<const Context*>(handle);
  return one >= contexts.data() && one < contexts.data() + contexts.size()
             ? static_cast<int>(one - contexts.data())
             : -1;
}

}  // namespace simgpu
