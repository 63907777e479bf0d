// What to change, in the order of both views. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "run/report.h"

namespace flatout::report {

struct Fix {
  const run::Finding* finding;
  const run::Advice* advice;
};

// The verdict's own first, then those of other findings, the largest share first, and last what
// would help though nothing is lost. None of a run that failed: first of all it has to run.
std::vector<Fix> fixes_of(const run::Report& report);

// Findings that are more than information.
bool speaks(const run::Finding& finding);
// "x7.2 [6.5, 7.3]", "1.2x slower [1.1, 1.3]"; "" = not finite, or nothing was predicted.
std::string gain_text(const run::Advice& advice);

}  // namespace flatout::report
