// How much memory a cache may take where nobody said a number, and how much it leaves alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flatout::data::cache {

// What is left alone: growth stops while machine or cgroup have less.
constexpr std::int64_t kMemoryFloorBytes = std::int64_t{1} << 30;

// Below so much, samples that are kept are given up.
constexpr std::int64_t kMemoryScarceBytes = kMemoryFloorBytes / 2;

// Bytes that a cache without a number of its own may take where `free_bytes` are left, shared with
// the other processes of a job.
constexpr std::uint64_t share_of_memory(std::int64_t free_bytes, std::int64_t processes) {
  const std::int64_t over = std::max<std::int64_t>(0, free_bytes - kMemoryFloorBytes);
  return static_cast<std::uint64_t>(over / 2 / std::max<std::int64_t>(1, processes));
}

}  // namespace flatout::data::cache
