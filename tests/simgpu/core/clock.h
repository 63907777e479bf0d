// The clock of the simulated devices: the host's CLOCK_MONOTONIC, in nanoseconds, the same in every
// process of the machine.
#pragma once

#include <cstdint>

namespace simgpu {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMicrosecond = 1'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

Nanoseconds now();

// Returns at `at` or later; at once where it has passed. Computes meanwhile where SIMGPU_WAIT=spin,
// as CUDA does on an idle host, and sleeps otherwise, so that a machine of two cores can serve as
// host.
void wait_until(Nanoseconds at);

}  // namespace simgpu
