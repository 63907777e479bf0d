#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/compare_runs.h"
#include "app/stored_runs.h"
#include "cli/answer.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/html/html.h"
#include "trace/open_trace.h"

namespace flatout::cli {
namespace {

std::string compared(const std::vector<app::MeasuredRun>& runs, const CompareOptions& options) {
  const run::Comparison comparison = app::compare(runs);
  if (options.format == Format::kHtml) return report::to_html(comparison, app::charts_of(runs));
  return options.format == Format::kJson
             ? report::to_json(comparison)
             : report::to_text(comparison, report_style_of(options.out));
}

// "before" of "logs/before.pt.trace.json.gz".
std::string stem_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.', 1));
}

// A stored run, else a trace in a file. Two files of one name are called by their paths.
base::Result<app::MeasuredRun> measured_one(const CompareOptions& options,
                                            const std::string& reference) {
  std::error_code error;
  auto run = app::open_run(options.home, reference);
  if (run) return app::measured_run(std::move(run->timeline), options.rules_off);
  if (!std::filesystem::is_regular_file(reference, error)) return std::unexpected(run.error());
  auto timeline = trace::open_trace(reference);
  if (!timeline) return std::unexpected(timeline.error());
  const bool alone = std::ranges::count(options.runs, stem_of(reference), stem_of) == 1;
  timeline->info.id = alone ? stem_of(reference) : reference;
  return app::measured_run(std::move(*timeline), options.rules_off);
}

base::Result<std::vector<app::MeasuredRun>> measured(const CompareOptions& options) {
  std::vector<app::MeasuredRun> runs;
  for (const std::string& reference : options.runs) {
    auto run = measured_one(options, reference);
    if (!run) return std::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

// "flatout-k7f2-m3qa.html"
std::string own_file(const std::vector<app::MeasuredRun>& runs) {
  std::string name = "flatout";
  for (const app::MeasuredRun& run : runs) {
    name += "-" + run.timeline.info.id;
    if (name.size() > 64) break;
  }
  std::ranges::replace(name, '/', '_');  // of a trace's path
  return name + ".html";
}

}  // namespace

int compare_verb(const CompareOptions& options) {
  const auto runs = measured(options);
  if (!runs) return answer(std::unexpected(runs.error()));
  const std::string text = compared(*runs, options);
  if (options.format == Format::kText && !is_file(options.out)) return answer_styled(text);
  const bool page = options.format == Format::kHtml;
  return answer_page(text, options.out, page ? own_file(*runs) : "");
}

}  // namespace flatout::cli
