#include "record/ring_guard.h"

#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace flatout::record {
namespace {

// More than RingDirReader opens.
constexpr std::size_t kSlots = 4200;

// Read by the handler: nothing in it may lock or allocate.
struct Slot {
  std::atomic<std::uintptr_t> begin = 0;  // 0 = free
  std::atomic<std::size_t> bytes = 0;
  std::atomic<bool> cut = false;
};
Slot slots[kSlots];
struct sigaction former{};

Slot* slot_at(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address - begin < slot.bytes.load()) return &slot;
  }
  return nullptr;
}

// A fault that is none of a ring's comes again under the former disposition.
void on_bus_error(int signo, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  Slot* const slot = info->si_code > 0 ? slot_at(address) : nullptr;
  if (slot != nullptr) {
    const std::uintptr_t begin = slot->begin.load();
    // The kernel names the place by its address.  NOLINTNEXTLINE(performance-no-int-to-ptr)
    void* const at = reinterpret_cast<void*>(begin);
    if (::mmap(at, slot->bytes.load(), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at) {
      slot->cut.store(true);
      return;
    }
  }
  ::sigaction(SIGBUS, &former, nullptr);
  if (info->si_code <= 0) ::raise(signo);
}

void install() {
  struct sigaction ours{};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &ours, &former);
}

}  // namespace

bool guard_map(void* at, std::size_t bytes) {
  static std::once_flag once;
  std::call_once(once, install);
  static std::mutex lock;
  const std::scoped_lock held(lock);
  for (Slot& slot : slots) {
    if (slot.begin.load() != 0) continue;
    slot.bytes.store(bytes);
    slot.cut.store(false);
    slot.begin.store(reinterpret_cast<std::uintptr_t>(at), std::memory_order_release);
    return true;
  }
  return false;
}

void unguard_map(void* at) {
  if (Slot* const slot = slot_at(reinterpret_cast<std::uintptr_t>(at))) slot->begin.store(0);
}

bool was_cut(const void* at) {
  const Slot* const slot = slot_at(reinterpret_cast<std::uintptr_t>(at));
  return slot != nullptr && slot->cut.load();
}

}  // namespace flatout::record
