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
  if (!applied.empty()) page.add_field(kNextFix, "Plan", cleaned(applied, page.style()));
  for (const run::KnobOutcome& knob : report.knobs) {
    if (knob.applied) continue;
    const std::string why = knob.reason.empty() ? "for a reason not known" : knob.reason;
    const std::string text = knob.asked.knob + "=" + knob.asked.value + " is not applied: " + why;
    page.add_field(kNextFix, "Plan", cleaned(text, page.style()));
  }
}

}  // namespace flatout::report
