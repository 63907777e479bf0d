#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/explain.h"
#include "app/stored_runs.h"
#include "app/stored_story.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/search_text.h"
#include "report/text.h"
#include "report/text_parts.h"
#include "report/tune_text.h"
#include "store/run_family.h"
#include "store/run_list.h"
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
  return options.format == Format::kJson ? report::to_json(report)
                                         : report::to_text(report, report_style_of(options.out));
}

// "flatout tune k7f2: python train.py", as long as it is.
std::string head_of(std::string_view verb, const app::StoredRun& run, const report::Style& style) {
  const run::RunInfo& info = run.timeline.info;
  report::Lines out(style);
  out.add(report::command_lines(
      "flatout " + std::string(verb) + " " + report::cleaned(info.id, style) + ": ",
      report::typed_command(info.command), style));
  return out.text() + "\n\n";
}

std::string tune_text(const app::StoredTuneReport& stored, const app::StoredRun& run,
                      const std::string& home, const report::Style& style) {
  const run::TuneReport& tuned = stored.tuned;
  std::string text = head_of("tune", run, style);
  if (!tuned.baseline.runs.empty()) text += report::tune_baseline_line(tuned, style) + "\n";
  for (const auto& trial : tuned.trials) text += report::tune_trial_line(trial, style) + "\n";
  const auto command = report::typed_command(run.timeline.info.command);
  return text + report::tune_closing(tuned, stored.plan_file, command, style, "", home) + "\n";
}

std::string search_text(const app::StoredSearchReport& stored, const app::StoredRun& run,
                        const std::string& home, const report::Style& style) {
  return head_of("search", run, style) +
         report::search_closing(stored.found, stored.command, style, home) + "\n";
}

// What the tune or search found whose first run this is; absent for any other run, and where it
// left no report: then it is said of which the report is.
std::optional<std::string> story_of(const app::StoredRun& run, const std::string& home,
                                    const report::Style& style) {
  const auto kind = store::family_kind(run.folder);
  if (kind == store::FamilyKind::kRun) return std::nullopt;
  base::Error problem;
  if (kind == store::FamilyKind::kTune) {
    const auto stored = app::read_tune_report(run.folder);
    if (stored) return tune_text(*stored, run, home, style);
    problem = stored.error();
  } else {
    const auto stored = app::read_search_report(run.folder);
    if (stored) return search_text(*stored, run, home, style);
    problem = stored.error();
  }
  const bool none = problem.code == base::ErrorCode::kNotFound;
  app::Voice(false).note((none ? "the " + std::string(store::family_kind_name(kind)) + " " +
                                     run.timeline.info.id + " has left no report yet"
                               : problem.message) +
                         "; this is the report of its first run, the program as it is");
  return std::nullopt;
}

}  // namespace

int report_verb(const ReportOptions& options) {
  if (is_file(options.out)) {
    if (const auto refused = cannot_write({{"--out", options.out}})) {
      app::Voice(false).error(*refused);
      return kWrongOption;
    }
  }
  const auto run = app::open_run(options.home, options.run);
  if (!run) return answer(std::unexpected(run.error()));
  const auto story = options.format == Format::kText && options.rules_off.empty()
                         ? story_of(*run, options.home, report_table_style_of(options.out))
                         : std::optional<std::string>();
  const std::string text = story ? *story : view_of(*run, options);
  if (options.format == Format::kText && !is_file(options.out)) return answer_styled(text);
  const bool page = options.format == Format::kHtml;
  return answer_page(text, options.out, page ? "flatout-" + run->timeline.info.id + ".html" : "");
}

}  // namespace flatout::cli
