// A run that failed: where in the program, and what could be measured until then.
#include <algorithm>
#include <string>

#include "report/fixes.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

// What its steps mostly were, in a few words.
std::string mostly_text(const run::Report& report) {
  const auto worst = std::ranges::find_if(
      report.findings, [](const run::Finding& finding) { return speaks(finding); });
  if (worst != report.findings.end()) {
    return headline(worst->id) + ", " + format_percent(worst->share) + share_words(report, *worst);
  }
  const auto& phases = report.steps->phases;
  const auto largest = std::ranges::max_element(
      phases, [](const auto& a, const auto& b) { return a.second < b.second; });
  return largest == phases.end() ? "" : largest->first + " " + format_percent(largest->second);
}

}  // namespace

void add_failure(const run::Report& report, Page& page) {
  if (!report.failure->at.empty()) {
    const std::string at =
        cleaned(relative_paths(report.failure->at, report.run.cwd), page.style());
    // Where it does not fit beside its label, it stands below it, so that a terminal can open it.
    if (width_of(at) <= page.room()) {
      page.add_field(kAlways, "Line", at);
    } else {
      page.add_field(kAlways, "Line", "");
      // One word stays whole, however long.
      page.add({.rank = kAlways,
                .lines = at.contains(' ') ? wrap("", at, page.columns()) : std::vector{at}});
    }
  }
  std::string seen;
  if (report.steps && report.steps->steady_count > 0 && report.steps->median_ms) {
    seen = "until then " + step_text(*report.steps);
    if (const std::string mostly = mostly_text(report); !mostly.empty()) seen += "; " + mostly;
    if (report.host.memory_peak_bytes) {
      seen += "; memory peak " + format_bytes(static_cast<double>(*report.host.memory_peak_bytes));
    }
  } else {
    seen = seen_text(report);
  }
  if (!seen.empty()) page.add_field(kDevice, "Seen", cleaned(seen, page.style()));
  const std::string& why = report.run.hooks_off;
  if (!why.empty()) {
    page.add_field(kFirstFix, "Why", "no hooks in the program: " + cleaned(why, page.style()));
  }
}

}  // namespace flatout::report
