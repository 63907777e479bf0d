// What a script logged through a tracker.
#include "report/html/parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

void value_table(Page& page, const run::TrackedReport& tracked) {
  if (tracked.values.empty()) return;
  const Table table(page.out, "Metrics by name, the first of them",
                    {"Metric", "Points", "Last step", "Last value"});
  const auto body = page.out.in("tbody");
  for (const run::ValueReport& value : tracked.values) {
    const auto row = page.out.in("tr");
    page.out.element("th", {{"scope", "row"}}, value.name);
    {
      const auto cell = page.out.in("td", {{"class", "num"}});
      page.out.number(static_cast<double>(value.count), std::to_string(value.count));
    }
    page.out.element("td", {{"class", "num"}},
                     value.last_step ? std::to_string(*value.last_step) : "");
    const auto cell = page.out.in("td", {{"class", "num"}});
    if (value.last) page.out.number(*value.last, format_number(*value.last));
  }
}

}  // namespace

void add_tracked(Page& page) {
  if (page.report.tracked.empty()) return;
  const auto part = section(page.out, "tracked", "Tracked");
  for (const run::TrackedReport& tracked : page.report.tracked) {
    page.out.element("h3", tracked_title(tracked));
    page.out.element("p", tracked_counts(tracked));
    value_table(page, tracked);
  }
}

}  // namespace flatout::report::html
