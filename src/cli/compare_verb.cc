#include <exception>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/compare/compare.h"
#include "base/file.h"
#include "cli/explain.h"
#include "cli/stored_runs.h"
#include "cli/verbs.h"
#include "cli/voice.h"
#include "report/compare_json.h"
#include "report/compare_text.h"

namespace flatout::cli {
namespace {

struct Loaded {
  run::Timeline timeline;
  analyse::Analysis analysis;
  run::Report report;
};

// A Timeline that breaks the analysis is an error here: without it there is
// nothing to compare.
base::Result<Loaded> loaded(const store::Home& home, const std::string& reference,
                            const std::set<std::string>& rules_off) {
  auto timeline = load_run(home, reference);
  if (!timeline) return std::unexpected(timeline.error());
  try {
    analyse::Analysis analysis = analyse::measure(*timeline);
    run::Report report = explain(*timeline, rules_off);
    return Loaded{std::move(*timeline), std::move(analysis), std::move(report)};
  } catch (const std::exception& problem) {
    return base::fail(base::ErrorCode::kInvalid,
                      "run " + timeline->info.id + " cannot be analysed: " + problem.what());
  }
}

base::Result<run::Comparison> compared(const CompareOptions& options) {
  const auto home = open_home(options.home);
  if (!home) return std::unexpected(home.error());
  std::vector<Loaded> runs;
  runs.reserve(options.runs.size());
  for (const std::string& reference : options.runs) {
    auto run = loaded(*home, reference, options.rules_off);
    if (!run) return std::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  std::vector<analyse::Analysed> views;
  for (const Loaded& run : runs) views.push_back({&run.timeline, &run.analysis, &run.report});
  return analyse::compare(views);
}

}  // namespace

int compare_verb(const CompareOptions& options) {
  Voice voice(false);
  const auto comparison = compared(options);
  if (!comparison) {
    voice.error(comparison.error().message);
    return 1;
  }
  const std::string text =
      options.format == Format::kJson ? report::to_json(*comparison) : report::to_text(*comparison);
  if (const auto done = base::write_all(1, text, "stdout"); !done) {
    voice.error(done.error().message);
    return 1;
  }
  return 0;
}

}  // namespace flatout::cli
