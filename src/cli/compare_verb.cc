#include <exception>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/compare/compare.h"
#include "app/explain.h"
#include "app/run_pictures.h"
#include "app/stored_runs.h"
#include "cli/answer.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/html/html.h"

namespace flatout::cli {
namespace {

struct Loaded {
  run::Timeline timeline;
  analyse::Analysis analysis;
  run::Report report;
};

// A Timeline that breaks the analysis is an error here: without it there is
// nothing to compare.
base::Result<Loaded> loaded(const CompareOptions& options, const std::string& reference) {
  auto run = app::open_run(options.home, reference);
  if (!run) return std::unexpected(run.error());
  run::Timeline& timeline = run->timeline;
  try {
    analyse::Analysis analysis = analyse::measure(timeline);
    run::Report report = app::explain(timeline, analysis, options.rules_off);
    return Loaded{std::move(timeline), std::move(analysis), std::move(report)};
  } catch (const std::exception& problem) {
    return base::fail(base::ErrorCode::kInvalid,
                      "run " + timeline.info.id + " cannot be analysed: " + problem.what());
  }
}

base::Result<std::vector<Loaded>> loaded_all(const CompareOptions& options) {
  std::vector<Loaded> runs;
  runs.reserve(options.runs.size());
  for (const std::string& reference : options.runs) {
    auto run = loaded(options, reference);
    if (!run) return std::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

std::string compared(const std::vector<Loaded>& runs, const CompareOptions& options) {
  std::vector<analyse::Analysed> views;
  for (const Loaded& run : runs) views.push_back({&run.timeline, &run.analysis, &run.report});
  const run::Comparison comparison = analyse::compare(views);
  if (options.format == Format::kHtml) {
    std::vector<run::Charts> charts;
    charts.reserve(runs.size());
    for (const Loaded& run : runs) charts.push_back(app::charts_of(run.timeline, run.analysis));
    return report::to_html(comparison, charts);
  }
  return options.format == Format::kJson
             ? report::to_json(comparison)
             : report::to_text(comparison, report_style_of(options.out));
}

// "flatout-k7f2-m3qa.html"
std::string own_file(const std::vector<Loaded>& runs) {
  std::string name = "flatout";
  for (const Loaded& run : runs) {
    name += "-" + run.timeline.info.id;
    if (name.size() > 64) break;
  }
  return name + ".html";
}

}  // namespace

int compare_verb(const CompareOptions& options) {
  const auto runs = loaded_all(options);
  if (!runs) return answer(std::unexpected(runs.error()));
  const std::string text = compared(*runs, options);
  if (options.format == Format::kText && !is_file(options.out)) return answer_styled(text);
  const bool page = options.format == Format::kHtml;
  return answer_page(text, options.out, page ? own_file(*runs) : "");
}

}  // namespace flatout::cli
