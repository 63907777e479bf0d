// Memory of the devices and pinned memory of the host. Device memory is address space of the
// process: pages exist only once something was copied or set there, so that 80 GB fit on any
// machine. What a device holds is counted for all processes of the machine together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/submit.h"

namespace simgpu::memory {

// Whether `bytes` more fit onto the device; counts them if so.
bool take(int device, std::uint64_t bytes);
void give_back(int device, std::uint64_t bytes);
// Free of all processes together, and the whole.
void room(int device, std::uint64_t* free_bytes, std::uint64_t* total_bytes);

// Allocates on a device; kMemoryAllocation where it is full. Addresses are at least 512-byte
// aligned.
Status allocate(int device, std::size_t bytes, void** address);
Status release(void* address);  // kInvalidValue for what was not allocated

// Address space that device memory can be mapped into: the driver's virtual memory management.
void* reserve(std::size_t bytes);
void unreserve(void* address, std::size_t bytes);
void map(int device, void* address,
         std::size_t bytes);  // counts nothing: take() did, when the memory was created
void unmap(void* address, std::size_t bytes);

Status allocate_pinned(std::size_t bytes, void** address);
Status release_pinned(void* address);
void pin(void* address, std::size_t bytes);  // cudaHostRegister
bool unpin(void* address);

enum class Where : std::uint8_t { kHost, kPinned, kDevice };
struct Location {
  Where where = Where::kHost;
  int device = -1;
  void* base = nullptr;  // of its allocation
  std::size_t bytes = 0;
};
Location find(const void* address);

}  // namespace simgpu::memory
