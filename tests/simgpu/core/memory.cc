#include "core/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/config.h"
#include "core/process.h"
#include "core/shared_device.h"

namespace simgpu::memory {
namespace {

constexpr std::size_t kPage = 4096;

struct Range {
  std::size_t bytes;
  int device;              // -1: pinned memory of the host
  bool mapped_in = false;  // by map(): release() is not for it
  bool registered = false;
};

std::map<std::uintptr_t, Range>& ranges() {
  static auto* kept = new std::map<std::uintptr_t, Range>;
  return *kept;
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::size_t rounded(std::size_t bytes) {
  return std::max(kPage, (bytes + kPage - 1) / kPage * kPage);
}

ProcessMemory* own_row(SharedDevice& device) {
  ProcessMemory* free_row = nullptr;
  for (ProcessMemory& row : device.processes) {
    if (row.pid == getpid()) {
      return &row;
    }
    if (row.pid == 0 && free_row == nullptr) {
      free_row = &row;
    }
  }
  if (free_row != nullptr) {
    free_row->pid = getpid();
  }
  return free_row;
}

}  // namespace

bool take(int device, std::uint64_t bytes) {
  SharedDevice* const shared = shared_device(device);
  if (shared == nullptr) {
    return true;
  }
  const SharedLock guard(*shared);
  if (shared->memory_used + bytes > memory_of(device)) {
    drop_the_dead(*shared);
    if (shared->memory_used + bytes > memory_of(device)) {
      return false;
    }
  }
  shared->memory_used += bytes;
  if (ProcessMemory* const row = own_row(*shared)) {
    row->bytes += bytes;
  }
  return true;
}

void give_back(int device, std::uint64_t bytes) {
  if (SharedDevice* const shared = shared_device(device)) {
    const SharedLock guard(*shared);
    shared->memory_used -= std::min(bytes, shared->memory_used);
    if (ProcessMemory* const row = own_row(*shared)) {
      row->bytes -= std::min(bytes, row->bytes);
    }
  }
}

void room(int device, std::uint64_t* free_bytes, std::uint64_t* total_bytes) {
  *total_bytes = memory_of(device);
  *free_bytes = *total_bytes;
  if (SharedDevice* const shared = shared_device(device)) {
    const SharedLock guard(*shared);
    drop_the_dead(*shared);
    *free_bytes = *total_bytes - std::min(*total_bytes, shared->memory_used);
  }
}

Status allocate(int device, std::size_t bytes, void** address) {
  *address = nullptr;
  if (bytes == 0) {
    return kSuccess;
  }
  const std::size_t size = rounded(bytes);
  if (!take(device, size)) {
    return kMemoryAllocation;
  }
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    give_back(device, size);
    return kMemoryAllocation;
  }
  const Locked guard(process().lock);
  ranges()[number(mapped)] = {.bytes = size, .device = device};
  *address = mapped;
  return kSuccess;
}

Status release(void* address) {
  const Locked guard(process().lock);
  const auto at = ranges().find(number(address));
  if (at == ranges().end() || at->second.device < 0 || at->second.mapped_in) {
    return kInvalidValue;
  }
  munmap(address, at->second.bytes);
  give_back(at->second.device, at->second.bytes);
  ranges().erase(at);
  return kSuccess;
}

void* reserve(std::size_t bytes) {
  void* const reserved =
      mmap(nullptr, rounded(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return reserved == MAP_FAILED ? nullptr : reserved;
}

void unreserve(void* address, std::size_t bytes) { munmap(address, rounded(bytes)); }

void map(int device, void* address, std::size_t bytes) {
  mprotect(address, bytes, PROT_READ | PROT_WRITE);
  const Locked guard(process().lock);
  ranges()[number(address)] = {.bytes = bytes, .device = device, .mapped_in = true};
}

void unmap(void* address, std::size_t bytes) {
  const Locked guard(process().lock);
  const auto first = ranges().lower_bound(number(address));
  ranges().erase(first, ranges().lower_bound(number(address) + bytes));
  mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Status allocate_pinned(std::size_t bytes, void** address) {
  *address = nullptr;
  if (bytes == 0) {
    return kSuccess;
  }
  *address = std::aligned_alloc(kPage, rounded(bytes));
  if (*address == nullptr) {
    return kMemoryAllocation;
  }
  const Locked guard(process().lock);
  ranges()[number(*address)] = {.bytes = rounded(bytes), .device = -1};
  return kSuccess;
}

Status release_pinned(void* address) {
  const Locked guard(process().lock);
  const auto at = ranges().find(number(address));
  if (at == ranges().end() || at->second.device >= 0 || at->second.registered) {
    return kInvalidValue;
  }
  ranges().erase(at);
  std::free(address);
  return kSuccess;
}

void pin(void* address, std::size_t bytes) {
  const Locked guard(process().lock);
  ranges()[number(address)] = {.bytes = bytes, .device = -1, .registered = true};
}

bool unpin(void* address) {
  const Locked guard(process().lock);
  const auto at = ranges().find(number(address));
  if (at == ranges().end() || !at->second.registered) {
    return false;
  }
  ranges().erase(at);
  return true;
}

Location find(const void* address) {
  const Locked guard(process().lock);
  auto at = ranges().upper_bound(number(address));
  if (at == ranges().begin()) {
    return {};
  }
  --at;
  if (number(address) >= at->first + at->second.bytes) {
    return {};
  }
  const bool pinned = at->second.device < 0;
  return {.where = pinned ? Where::kPinned : Where::kDevice,
          .device = at->second.device,
          .base = reinterpret_cast<void*>(at->first),
          .bytes = at->second.bytes};
}

}  // namespace simgpu::memory
