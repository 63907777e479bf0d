// Times as users write them. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace flatout::apply {

// "90s", "10m", "2h", "1.5h": above 0, less than three years; absent for all else.
std::optional<base::DurationNs> parse_time(const std::string& text);

}  // namespace flatout::apply
