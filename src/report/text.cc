// One page, told in the order in which a reader asks: what was run, why is it
// slow, where does the time go, what do I do, what was it not. What fits is
// decided by Page; what matters most by the ranks in text_parts.h.
#include "report/text.h"

#include <algorithm>

#include "report/layout.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

void add_explained(const run::Report& report, Page& page) {
  add_account(report, page);
  add_steps(report, page);
  add_ranks(report, page);
  add_traces(report, page);
  add_devices(report, page);
  add_loader(report, page);
  add_tracked(report, page);
  add_plan(report, page);
  add_fixes(report, page);
  add_chances(report, page);
  add_other_findings(report, page);
  add_unseen(report, page);
}

// A narrow page has as much room as one of kTextColumns.
std::size_t most_lines(std::size_t columns) {
  if (columns >= kTextColumns) return kTextLines;
  return (kTextLines * kTextColumns + columns - 1) / columns;
}

}  // namespace

std::string to_text(const run::Report& report, const Style& style, bool stored,
                    const std::string& home) {
  Page page(style);
  page.add({.rank = kAlways, .lines = header_lines(report, page.style())});
  page.add_blank();
  add_verdict(report, page);
  page.add_blank(kBlank);
  add_state(report, page);
  if (report.failure) {
    add_failure(report, page);
    add_tracked(report, page);
    add_plan(report, page);
  } else if (report.steps) {
    add_explained(report, page);
  } else if (!report.run.trace_file.empty()) {
    add_ranks(report, page);
    add_traces(report, page);
    add_other_findings(report, page);
  } else {
    add_traces(report, page);
    add_devices(report, page);
    add_tracked(report, page);
    add_no_steps(report, page);
    add_plan(report, page);
  }
  // How far the figures of the steps can be trusted is no question of a run that failed.
  if (!report.failure || !report.steps) add_notes(report, page);
  add_closing(report, stored, home, page);
  return page.text(most_lines(page.columns()));
}

}  // namespace flatout::report
