// What the rings of a run are made of, and how large the user wants them. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace flatout::launch {

inline constexpr std::uint64_t kRingTrialBytes = 4U << 20;  // the ring of one rank
inline constexpr std::uint64_t kRingBytesMin = 64U << 10;
inline constexpr std::uint64_t kRingBytesMax = 1U << 30;

// The IPC namespace in which this process finds the segments of rings, as the
// link /proc/self/ns/ipc names it. "" where rings are files: the system grants no
// segment of a ring's size, or FLATOUT_RING_IPC is "off". Makes one and removes it.
std::string ring_ipc(std::span<const std::string> env);

// FLATOUT_RING_BYTES, the ring of a rank: bytes, or with K, M or G at the end; rounded
// down to a power of two. Nothing where it is not set or empty. kInvalid: no such
// size, or not between kRingBytesMin and kRingBytesMax.
base::Result<std::optional<std::uint64_t>> ring_bytes(std::span<const std::string> env);

}  // namespace flatout::launch
