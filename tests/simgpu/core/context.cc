#include "core/context.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_set>

#include "core/config.h"
#include "core/memory.h"
#include "core/observer.h"
#include "core/process.h"

namespace simgpu {
namespace {

// About what an empty process holds on such a device.
constexpr std::uint64_t kContextBytes = 300ULL << 20U;

std::array<Context, 64> primaries{};
thread_local Context* current = nullptr;

std::unordered_set<const void*>& created() {
  static auto* all = new std::unordered_set<const void*>;
  return *all;
}

bool is_primary(const void* handle) {
  const auto* const one = static_cast<const Context*>(handle);
  return one >= primaries.data() && one < primaries.data() + primaries.size();
}

}  // namespace

Context& primary_context(int device) {
  Context& one = primaries[static_cast<std::size_t>(device)];
  one.device = device;
  one.primary = true;
  return one;
}

Context* create_context(int device, unsigned flags) {
  auto* const context = new Context{.device = device, .flags = flags};
  if (activate(*context) != kSuccess) {
    delete context;
    return nullptr;
  }
  created().insert(context);
  return context;
}

void destroy_context(Context& context) {
  deactivate(context);
  created().erase(&context);  // not freed: it may be current to other threads
}

Context* context_of(const void* handle) {
  auto* const one = const_cast<Context*>(static_cast<const Context*>(handle));
  const bool known = is_primary(handle) || created().contains(handle);
  return known && one->active ? one : nullptr;
}

Status activate(Context& context) {
  static std::uint32_t made = 0;
  if (context.active) {
    return kSuccess;
  }
  const std::uint64_t bytes = std::min(kContextBytes, memory_of(context.device) / 16);
  if (!memory::take(context.device, bytes)) {
    return kMemoryAllocation;
  }
  context.active = true;
  context.bytes = bytes;
  context.number = ++made;
  if (Observer* const looking = context.primary ? observer() : nullptr) {
    looking->context_opened(context.device);
  }
  return kSuccess;
}

void deactivate(Context& context) {
  if (context.active) {
    memory::give_back(context.device, context.bytes);
    context.active = false;
    context.number = 0;
  }
}

void open_context(int device) {
  const Locked guard(process().lock);
  if (current != nullptr && current->device == device && !current->primary) {
    return;
  }
  Context& primary = primary_context(device);
  primary.of_runtime = true;
  activate(primary);  // where the device is full the runtime's next allocation fails
  if (device == current_device()) {
    current = &primary;
  }
}

bool has_context(int device) {
  const Locked guard(process().lock);
  return primary_context(device).active;
}

std::uint32_t context_number(int device) {
  const Locked guard(process().lock);
  return primary_context(device).number;
}

void* context_handle(int device) { return &primary_context(device); }

int device_of_context(const void* handle) {
  const Locked guard(process().lock);
  const bool known = is_primary(handle) || created().contains(handle);
  return known ? static_cast<const Context*>(handle)->device : -1;
}

Context* current_context() { return current; }

void set_current_context(Context* context) {
  current = context;
  if (context != nullptr) {
    current_device_slot() = context->device;
  }
}

}  // namespace simgpu
