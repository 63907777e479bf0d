// The text view of a Report: what a user reads when a program has ended. Pure;
// any thread; never throws.
#pragma once

#include <cstddef>
#include <string>

#include "run/report.h"

namespace flatout::report {

constexpr std::size_t kTextColumns = 80;
constexpr std::size_t kTextLines = 25;

// At most kTextLines lines of at most kTextColumns printable ASCII characters,
// each ending in a newline. When there is more to say than fits, the least
// important lines are left out; the JSON view has everything. Paths below the
// run's working directory are shown relative to it.
std::string to_text(const run::Report& report);

}  // namespace flatout::report
