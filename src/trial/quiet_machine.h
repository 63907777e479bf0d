// Waiting until nothing else uses the cores. Blocks its caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/time.h"

namespace flatout::trial {

// Of all cores together since the machine started; absent = nobody can tell.
using BusyNs = std::function<std::optional<std::int64_t>()>;

// What /proc/stat says.
std::optional<std::int64_t> host_busy_ns();

// Until at most a tenth of `cpus` was used for a second, `at_most` is over, or `stop`.
// `pause` lets that time pass. True where it was quiet.
bool wait_until_quiet(base::DurationNs at_most, int cpus, const BusyNs& busy,
                      const std::function<void(base::DurationNs)>& pause,
                      const std::function<bool()>& stop);

}  // namespace flatout::trial
