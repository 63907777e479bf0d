#include <filesystem>

#include "app/explain.h"
#include "app/stored_runs.h"
#include "cli/answer.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/text.h"
#include "store/run_meta.h"

namespace flatout::cli {
namespace {

// A run whose flatout was killed has no verdict in `ls` until somebody asks.
void keep_outcome(const std::filesystem::path& folder, const run::Report& report) {
  const bool whole = report.state != run::RunState::kRunning && report.rules_off.empty();
  const auto meta = store::read_meta(folder);
  if (!whole || !meta || meta->outcome) return;
  (void)store::update_meta(
      folder, [&](store::RunMeta& change) { change.outcome = store::outcome_of(report); });
}

std::string view_of(const app::StoredRun& run, const ReportOptions& options) {
  if (options.format == Format::kHtml) {
    const auto [report, charts] = app::explain_with_charts(run.timeline, options.rules_off);
    return report::to_html(report, charts);
  }
  const run::Report report = app::explain(run.timeline, options.rules_off);
  keep_outcome(run.folder, report);
  return options.format == Format::kJson ? report::to_json(report) : report::to_text(report);
}

}  // namespace

int report_verb(const ReportOptions& options) {
  const auto run = app::open_run(options.home, options.run);
  if (!run) return answer(std::unexpected(run.error()));
  const bool page = options.format == Format::kHtml;
  return answer_page(view_of(*run, options), options.out,
                     page ? "flatout-" + run->timeline.info.id + ".html" : "");
}

}  // namespace flatout::cli
