#include "app/compare_runs.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "analyse/analyse.h"
#include "analyse/compare/compare.h"
#include "app/explain.h"
#include "app/run_or_trace.h"
#include "app/run_pictures.h"

namespace flatout::app {
namespace {

// "before" of "logs/before.pt.trace.json.gz".
std::string stem_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.', 1));
}

// A Timeline that breaks the analysis is an error here: without it there is
// nothing to compare.
base::Result<MeasuredRun> measured(run::Timeline timeline, const std::set<std::string>& rules_off) {
  try {
    analyse::Analysis analysis = analyse::measure(timeline);
    run::Report report = explain(timeline, analysis, rules_off);
    return MeasuredRun{std::move(timeline), std::move(analysis), std::move(report)};
  } catch (const std::exception& problem) {
    return base::fail(base::ErrorCode::kInvalid,
                      "run " + timeline.info.id + " cannot be analysed: " + problem.what());
  }
}

}  // namespace

base::Result<std::vector<MeasuredRun>> measured_runs(const std::string& home,
                                                     const std::vector<std::string>& references,
                                                     const std::set<std::string>& rules_off) {
  std::vector<MeasuredRun> runs;
  runs.reserve(references.size());
  for (const std::string& reference : references) {
    auto timeline = open_run_or_trace(home, reference, Meant::kRun);
    if (!timeline) return std::unexpected(timeline.error());
    if (!timeline->info.trace_file.empty()) {
      const bool alone = std::ranges::count(references, stem_of(reference), stem_of) == 1;
      timeline->info.id = alone ? stem_of(reference) : reference;
    }
    auto run = measured(std::move(*timeline), rules_off);
    if (!run) return std::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
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
