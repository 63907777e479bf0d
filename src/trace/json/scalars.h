// Numbers as traces write them: 12, "12", 12.5, 1e3. Absent where the text is no number, or one
// that the type cannot hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flatout::trace {

std::optional<std::int64_t> as_int(std::string_view text);
std::optional<std::uint64_t> as_unsigned(std::string_view text);
std::optional<double> as_double(std::string_view text);

// Microseconds, to the nanosecond: a time since 1970 has more digits than a double holds. What is
// beyond nanoseconds is cut off.
std::optional<std::int64_t> microseconds_as_ns(std::string_view text);

}  // namespace flatout::trace
