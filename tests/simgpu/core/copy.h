// Copies and sets, and how long the host waits for them.
#pragma once

#include <cstddef>

#include "core/submit.h"

namespace simgpu {

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 1, to_pitch = 0, from_pitch = 0;  // of more than one row
};

// CUDA Runtime API, "API synchronization behavior": asynchronous calls with pageable memory are
// staged: to the host they return when all is done, to the device when the staging copy was made;
// up to 64 KB to the device do not wait for the transfer itself. Synchronous calls from or to the
// host wait, those on a device do not.
Status copy(CUstream_st* stream, const Copy& what, bool asynchronous);

Status set(CUstream_st* stream, void* to, std::uint8_t value, std::size_t bytes, bool asynchronous);

// `count` values of 1, 2 or 4 bytes each.
Status set_values(CUstream_st* stream, void* to, std::uint32_t value, std::size_t value_bytes,
                  std::size_t count, bool asynchronous);

}  // namespace simgpu
