// One operation of a device, and where on the timeline it came to lie.
#pragma once

#include <array>
#include <cstdint>

#include "core/clock.h"

namespace simgpu {

enum class OpKind : std::uint8_t {
  kKernel,
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,
  kCopyPeer,
  kSet
};

struct Operation {
  OpKind kind = OpKind::kKernel;
  bool pageable = false;      // of a copy: host memory that is not pinned
  bool asynchronous = false;  // of a copy or set: by a call that may return before it
  bool shares_sms = false;    // of a kernel: small enough to run beside others of its process
  Nanoseconds duration = 0;   // with SIMGPU_SLOWER in it
  std::uint64_t bytes = 0;    // copied or set; 0 for kernels
  const char* name = "";      // of a kernel, as in the binary (mangled); interned, never freed
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t shared_bytes = 0;
  std::uint32_t value = 0;         // of kSet
  std::uint64_t from = 0, to = 0;  // addresses of a copy, for the truth and CUPTI
};

struct PlacedOperation {
  Operation what;
  Nanoseconds enqueued = 0, start = 0, end = 0;
  std::int32_t device = 0;
  std::uint32_t stream =
      0;  // its number in this process, 7 for the legacy default stream, as CUPTI counts
  std::uint32_t correlation = 0;  // of the API call that submitted it, or launched its graph
  std::uint32_t graph = 0;        // number of the executable graph it belongs to, 0: none
  std::uint64_t graph_node = 0;
};

// The same pointer for the same text, for as long as the process lives.
const char* intern(const char* text);

}  // namespace simgpu
