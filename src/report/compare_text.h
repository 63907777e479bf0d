// The text view of a Comparison, for a terminal. Pure; any thread; never throws.
#pragma once

#include <string>

#include "report/style.h"
#include "run/comparison.h"

namespace flatout::report {

// Lines as `style` has them. Of long lists of facts the first are shown, with a line that says how
// many were left out; the JSON view has all.
std::string to_text(const run::Comparison& comparison, const Style& style = {});

}  // namespace flatout::report
