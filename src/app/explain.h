// Timeline -> Report: analysis and advice together. Pure but for a LookCloser; any thread. Never
// fails: where an analysis breaks, the Report still has the run and its state,
// and a note that says what broke.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "analyse/analysis.h"
#include "run/charts.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::app {

// Rules of `rules_off` are not asked; the Report names them.
// `add`, where given, adds what the Timeline does not hold to the analysis before it is judged.
run::Report explain(const run::Timeline& timeline, const std::set<std::string>& rules_off = {},
                    const std::function<void(analyse::Analysis& analysis)>& add = {});

// The same of what was measured already: `analysis` is analyse::measure(timeline).
// May throw where the analysis breaks.
run::Report explain(const run::Timeline& timeline, const analyse::Analysis& analysis,
                    const std::set<std::string>& rules_off);

struct ExplainedWithCharts {
  run::Report report;
  run::Charts charts;  // empty where the analysis broke
};

// Between analysis and advice, where what the advice is to know can still be found out.
using LookCloser = std::function<void(analyse::Analysis& analysis, const run::Report& report)>;

// The same, and what a picture of the run is drawn from.
ExplainedWithCharts explain_with_charts(const run::Timeline& timeline,
                                        const std::set<std::string>& rules_off = {},
                                        const LookCloser& look = {});

}  // namespace flatout::app
