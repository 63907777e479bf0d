// Whether this user may have the few processes that flatout wants beside the
// program. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace flatout::launch {

// Why it is better to step aside: so few more are allowed (ulimit -u) that flatout's
// own might be those that the program lacks. Nothing where there is room, where the
// limit is high, and for root, whom it does not bind. Reads /proc where it is low.
std::optional<std::string> too_few_processes(const std::filesystem::path& proc = "/proc");

}  // namespace flatout::launch
