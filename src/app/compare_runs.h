// Stored runs, and traces in files, beside each other. Main thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyse/analysis.h"
#include "base/result.h"
#include "run/charts.h"
#include "run/comparison.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::app {

// A run or a trace with all that is measured of it.
struct MeasuredRun {
  run::Timeline timeline;
  analyse::Analysis analysis;
  run::Report report;
};

// In the order of `references`: runs (ids, names, "latest"), else files with traces, which are
// called by their files' names, or paths where two of them have one name. The first that is not
// there, or that breaks the analysis, is the error: without it there is nothing to compare.
base::Result<std::vector<MeasuredRun>> measured_runs(const std::string& home,
                                                     const std::vector<std::string>& references,
                                                     const std::set<std::string>& rules_off = {});

// Two or more; the first is the baseline.
run::Comparison compare(const std::vector<MeasuredRun>& runs);
// What a page draws of each.
std::vector<run::Charts> charts_of(const std::vector<MeasuredRun>& runs);

}  // namespace flatout::app
