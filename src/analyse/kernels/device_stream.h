// Which stream of its device an activity ran on: each context numbers its streams for itself.
#pragma once

#include <cstdint>

#include "run/activity.h"

namespace flatout::analyse {

// Context and stream; equal for activities of one stream alone.
constexpr std::uint64_t device_stream(const run::DeviceActivity& activity) {
  return std::uint64_t{activity.context} << 32 | activity.stream;
}

}  // namespace flatout::analyse
