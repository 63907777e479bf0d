// One page, told in the order in which a reader asks: what was run, why is it
// slow, where does the time go, what do I do, what was it not. What fits is
// decided by Page; what matters most by the ranks in text_parts.h.
#include "report/text.h"

#include "report/layout.h"
#include "report/text_parts.h"

namespace flatout::report {

std::string to_text(const run::Report& report) {
  Page page;
  page.add(kAlways, {header_line(report)});
  page.add_blank();
  add_verdict(report, page);
  page.add_blank();
  add_state(report, page);
  if (report.steps) {
    add_account(report, page);
    add_steps(report, page);
    add_devices(report, page);
    add_loader(report, page);
    add_plan(report, page);
    add_fixes(report, page);
    add_chances(report, page);
    add_other_findings(report, page);
    add_unseen(report, page);
  } else {
    add_no_steps(report, page);
    add_plan(report, page);
  }
  add_notes(report, page);
  page.add(kAlways,
           {"Full report: flatout report " + shorten(report.run.id, 12) + " --format json"});
  return page.text(kTextLines, kTextColumns);
}

}  // namespace flatout::report
