#include "inject/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <cstdlib>

namespace flatout::inject::cupti {
namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

void BufferPool::configure(std::size_t bytes, std::size_t count) {
  bytes_ = bytes;
  count_ = count < kMostBuffers ? count : kMostBuffers;
}

bool BufferPool::has_memory(Slot& slot) {
  if (slot.memory.load(std::memory_order_relaxed) != nullptr) return true;
  void* at = std::aligned_alloc(kPageBytes, (bytes_ + kPageBytes - 1) / kPageBytes * kPageBytes);
  if (at == nullptr) return false;
  slot.memory.store(static_cast<std::uint8_t*>(at), std::memory_order_release);
  return true;
}

// The first free ones come first, so that few buffers are used over and over.
std::uint8_t* BufferPool::lend() {
  for (std::size_t i = 0; i < count_; ++i) {
    int free = kFree;
    if (!slots_[i].state.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
    const bool usable = has_memory(slots_[i]);
    slots_[i].state.store(usable ? kLent : kFree, std::memory_order_release);
    return usable ? slots_[i].memory.load(std::memory_order_relaxed) : nullptr;
  }
  return nullptr;
}

bool BufferPool::give_back(const std::uint8_t* buffer, std::size_t valid) {
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = slots_[i];
    if (buffer == nullptr || slot.memory.load(std::memory_order_acquire) != buffer) continue;
    int lent = kLent;
    if (!slot.state.compare_exchange_strong(lent, kBusy, std::memory_order_acquire)) return false;
    slot.valid = valid < bytes_ ? valid : bytes_;
    slot.order = next_order_.fetch_add(1, std::memory_order_relaxed);
    slot.state.store(valid > 0 ? kFull : kFree, std::memory_order_release);
    return true;
  }
  return false;
}

BufferPool::Slot* BufferPool::oldest() {
  Slot* found = nullptr;
  for (std::size_t i = 0; i < count_; ++i) {
    if (slots_[i].state.load(std::memory_order_acquire) != kFull) continue;
    if (found == nullptr || slots_[i].order < found->order) found = &slots_[i];
  }
  return found;
}

std::size_t BufferPool::count(int state) const {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (slots_[i].state.load(std::memory_order_acquire) == state) ++found;
  }
  return found;
}

void BufferPool::release_pages() {
  for (std::size_t i = 0; i < count_; ++i) {
    int free = kFree;
    if (!slots_[i].state.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
    std::uint8_t* memory = slots_[i].memory.load(std::memory_order_relaxed);
    if (memory != nullptr) ::madvise(memory, bytes_ / kPageBytes * kPageBytes, MADV_DONTNEED);
    slots_[i].state.store(kFree, std::memory_order_release);
  }
}

}  // namespace flatout::inject::cupti
