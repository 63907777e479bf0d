// Points in time as text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flatout::report {

// "2026-11-21T02:02:50.123Z", of nanoseconds since 1970. Absent for a time no
// calendar has, and for 0 and less: nobody recorded those.
std::optional<std::string> rfc3339(std::int64_t wall_ns);

}  // namespace flatout::report
