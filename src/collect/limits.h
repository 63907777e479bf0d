// What this process may use: the container's truth, not the machine's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/paths.h"

namespace flatout::collect {

struct Limits {
  int cpus = 0;                     // usable: min(affinity, quota rounded up), at least 1
  std::optional<double> cpu_quota;  // of the cgroup and its ancestors, in cpus; absent = none
  std::optional<std::int64_t> memory_limit_bytes;  // the same for memory
  std::optional<std::int64_t> memory_bytes;        // of the machine (MemTotal)
  std::string cpu_model;                           // "" where the kernel does not name it
  // The CPU multiplies bfloat16 itself (avx512_bf16, amx_bf16; bf16 of Arm), by its
  // flags in /proc/cpuinfo; absent where the kernel names none.
  std::optional<bool> cpu_bf16 = {};
};

// Reads once; never fails, what cannot be read is absent. Any thread.
Limits read_limits(const host::Paths& paths, int affinity);

}  // namespace flatout::collect
