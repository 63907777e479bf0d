#include <algorithm>
#include <string>
#include <vector>

#include "app/compare_runs.h"
#include "cli/answer.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "cli/written_page.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/html/html.h"

namespace flatout::cli {
namespace {

std::string compared(const std::vector<app::MeasuredRun>& runs, const CompareOptions& options) {
  const run::Comparison comparison = app::compare(runs);
  if (options.format == Format::kHtml) return report::to_html(comparison, app::charts_of(runs));
  return options.format == Format::kJson
             ? report::to_json(comparison)
             : report::to_text(comparison, report_style_of(options.out));
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
  const auto runs = app::measured_runs(options.home, options.runs, options.rules_off);
  if (!runs) return answer(std::unexpected(runs.error()));
  const std::string text = compared(*runs, options);
  if (options.format == Format::kText && !is_file(options.out)) return answer_styled(text);
  const bool page = options.format == Format::kHtml;
  return answer_page(text, options.out, page ? own_file(*runs) : "");
}

}  // namespace flatout::cli
