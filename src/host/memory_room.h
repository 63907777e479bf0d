// How much memory a program that is about to start can have: the cgroup's limit and
// the machine, minus what others hold.
#pragma once

#include <cstdint>
#include <optional>

#include "host/paths.h"

namespace flatout::host {

// The least of MemAvailable and, for each cgroup above this process that has a limit,
// the limit (memory.max, or memory.high where that is less: above it programs are slowed down until
// they give memory back) minus what is used and not given back at once (inactive file pages are).
// Absent where neither can be read. Reads once; any thread.
std::optional<std::int64_t> memory_room_bytes(const Paths& paths);

// Processes of this cgroup that the kernel has killed because memory ran out, from
// when it was made on. Absent where the kernel does not count them.
std::optional<std::int64_t> oom_kills(const Paths& paths);

}  // namespace flatout::host
