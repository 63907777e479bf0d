// Timeline in, Report out: everything but advice. Pure; any thread.
#pragma once

#include <set>
#include <string>

#include "analyse/analysis.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct AnalyseOptions {
  std::set<std::string> rules_off;  // ids of rules that shall not speak
};

// The verdict is the finding with the largest share among warn and critical;
// without one, compute_bound where forward + backward + optimizer >= 0.8, else
// "unexplained"; "no_steps" where no step was seen.
run::Report analyse(const run::Timeline& timeline, const AnalyseOptions& options = {});

// The same from facts measured already (for callers that also ask what-if).
// `analysis` must be measure(timeline).
run::Report report_of(const run::Timeline& timeline, const Analysis& analysis,
                      const AnalyseOptions& options = {});

}  // namespace flatout::analyse
