#include <unistd.h>

#include <filesystem>

#include "app/explain.h"
#include "app/report_file.h"
#include "app/stored_runs.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/verbs.h"
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

// A page is not for reading in a terminal: there it gets a file, which is reported.
std::string target_of(const run::Timeline& timeline, const ReportOptions& options) {
  if (!options.out.empty()) return options.out == "-" ? "" : options.out;
  const bool unreadable = options.format == Format::kHtml && ::isatty(1) == 1;
  return unreadable ? "flatout-" + timeline.info.id + ".html" : "";
}

}  // namespace

int report_verb(const ReportOptions& options) {
  const auto run = app::open_run(options.home, options.run);
  if (!run) return answer(std::unexpected(run.error()));
  const std::string target = target_of(run->timeline, options);
  const std::string text = view_of(*run, options);
  if (target.empty()) return answer(text);
  if (const auto done = app::write_report_file(target, text); !done) {
    return answer(std::unexpected(done.error()));
  }
  app::Voice(false).note("wrote " + target);
  return 0;
}

}  // namespace flatout::cli
