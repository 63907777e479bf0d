#include "app/compare_runs.h"

#include <exception>
#include <utility>

#include "analyse/analyse.h"
#include "analyse/compare/compare.h"
#include "app/explain.h"
#include "app/run_pictures.h"

namespace flatout::app {
base::Result<MeasuredRun> measured_run(run::Timeline timeline,
                                       const std::set<std::string>& rules_off) {
  try {
    analyse::Analysis analysis = analyse::measure(timeline);
    run::Report report = explain(timeline, analysis, rules_off);
    return MeasuredRun{std::move(timeline), std::move(analysis), std::move(report)};
  } catch (const std::exception& problem) {
    return base::fail(base::ErrorCode::kInvalid,
                      "run " + timeline.info.id + " cannot be analysed: " + problem.what());
  }
}

run::Comparison compare(const std::vector<MeasuredRun>& runs) {
  std::vector<analyse::Analysed> views;
  views.reserve(runs.size());
  for (const MeasuredRun& run : runs) views.push_back({&run.timeline, &run.analysis, &run.report});
  return analyse::compare(views);
}

std::vector<run::Charts> charts_of(const std::vector<MeasuredRun>& runs) {
  std::vector<run::Charts> charts;
  charts.reserve(runs.size());
  for (const MeasuredRun& run : runs) charts.push_back(charts_of(run.timeline, run.analysis));
  return charts;
}

}  // namespace flatout::app
