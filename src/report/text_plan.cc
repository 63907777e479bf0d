// The knobs that the run was started under.
#include <string>

#include "report/text_parts.h"

namespace flatout::report {
namespace {

std::string setting_text(const run::KnobOutcome& knob) {
  const std::string text = knob.asked.knob + "=" + knob.asked.value;
  return knob.from.empty() ? text : text + " (was " + knob.from + ")";
}

}  // namespace

void add_plan(const run::Report& report, Page& page) {
  std::string applied;
  for (const run::KnobOutcome& knob : report.knobs) {
    if (!knob.applied) continue;
    applied += (applied.empty() ? "" : ", ") + setting_text(knob);
  }
  if (!applied.empty()) page.add_field(kNextFix, "Plan", applied, 3);
  for (const run::KnobOutcome& knob : report.knobs) {
    if (knob.applied) continue;
    const std::string why = knob.reason.empty() ? "for a reason not known" : knob.reason;
    page.add_field(kNextFix, "Plan",
                   knob.asked.knob + "=" + knob.asked.value + " is not applied: " + why, 2);
  }
}

}  // namespace flatout::report
