// A limit that is written with its unit. Pure. Internal to check/.
#pragma once

#include <optional>
#include <string_view>

namespace flatout::check {

// "70 GB" and "16GiB" of bytes, "85 %" of a ratio, "120 ms" and "1.5 s" of a time; the figure in
// its own unit. Absent where `text` is no such quantity.
std::optional<double> quantity_of(std::string_view text, std::string_view unit);

}  // namespace flatout::check
