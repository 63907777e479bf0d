// Stored runs beside each other. Main thread.
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

// A stored run with all that is measured of it.
struct MeasuredRun {
  run::Timeline timeline;
  analyse::Analysis analysis;
  run::Report report;
};

// `timeline` with all that is measured of it. An error where it breaks the analysis: without it
// there is nothing to compare.
base::Result<MeasuredRun> measured_run(run::Timeline timeline,
                                       const std::set<std::string>& rules_off);

// Two or more; the first is the baseline.
run::Comparison compare(const std::vector<MeasuredRun>& runs);
// What a page draws of each.
std::vector<run::Charts> charts_of(const std::vector<MeasuredRun>& runs);

}  // namespace flatout::app
