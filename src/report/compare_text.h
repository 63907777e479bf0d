// The text view of a Comparison, for a terminal. Pure; any thread; never throws.
#pragma once

#include <string>

#include "run/comparison.h"

namespace flatout::report {

// Lines of at most kTextColumns printable ASCII characters. Long lists of facts
// are cut, with a line that says how many were left out; the JSON view has all.
std::string to_text(const run::Comparison& comparison);

}  // namespace flatout::report
