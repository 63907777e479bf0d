#include <optional>
#include <string>
#include <utility>

#include "app/compared_ranks.h"
#include "app/explain.h"
#include "app/perfetto_export.h"
#include "app/run_or_trace.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/text.h"

namespace flatout::cli {
namespace {

// The analysis with what other ranks' traces add to it; absent where nothing does.
using Ranks = std::optional<run::RankComparison>;

std::string view_of(const run::Timeline& timeline, Ranks ranks, const AnalyzeOptions& options) {
  const auto add_ranks = [&ranks](analyse::Analysis& analysis) { analysis.rank_traces = ranks; };
  if (options.format == Format::kHtml) {
    const auto [report, charts] = app::explain_with_charts(
        timeline, options.rules_off,
        [&](analyse::Analysis& analysis, const run::Report&) { add_ranks(analysis); });
    return report::to_html(report, charts);
  }
  const run::Report report = app::explain(timeline, options.rules_off, add_ranks);
  return options.format == Format::kJson
             ? report::to_json(report)
             : report::to_text(report, report_style_of(options.out), false);
}

// The first file's Timeline, which is what is explained.
base::Result<run::Timeline> first_of(const AnalyzeOptions& options, Ranks& ranks) {
  if (options.files.size() == 1) {
    return app::open_run_or_trace(options.home, options.files.front(), app::Meant::kFile);
  }
  auto compared = app::compared_ranks(options.files);
  if (!compared) return std::unexpected(compared.error());
  ranks = std::move(compared->ranks);
  return std::move(compared->first);
}

}  // namespace

int analyze_verb(const AnalyzeOptions& options) {
  if (is_file(options.out)) {
    if (const auto refused = cannot_write({{"--out", options.out}})) {
      app::Voice(false).error(*refused);
      return kWrongOption;
    }
  }
  if (options.format == Format::kPerfetto && options.files.size() > 1) {
    return answer(base::fail(base::ErrorCode::kInvalid,
                             "--format perfetto takes one trace, and several were given"));
  }
  Ranks ranks;
  const auto timeline = first_of(options, ranks);
  if (!timeline) return answer(std::unexpected(timeline.error()));
  if (options.format == Format::kPerfetto) {
    return answer_pieces([&](const Pieces& take) { return app::write_perfetto(*timeline, take); },
                         options.out, "flatout-trace.perfetto.json");
  }
  const std::string text = view_of(*timeline, std::move(ranks), options);
  if (options.format == Format::kText && !is_file(options.out)) return answer_styled(text);
  return answer_page(text, options.out,
                     options.format == Format::kHtml ? "flatout-trace.html" : "");
}

}  // namespace flatout::cli
