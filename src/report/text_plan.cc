// The knobs that the run was started under.
#include <string>

#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/speedup_text.h"

namespace flatout::report {
namespace {

std::string setting_text(const run::KnobOutcome& knob) {
  const std::string text = knob.asked.knob + "=" + knob.asked.value;
  return knob.from.empty() ? text : text + " (was " + knob.from + ")";
}

// "while it ran: num_workers 0 -> 4, x1.85 [1.70, 2.00]; the search took 14.2 s, 1.3 s of it lost"
std::string tuned_text(const run::LiveTuneReport& tuned) {
  std::string kept;
  for (const run::PlanEntry& entry : tuned.kept) {
    const std::string& knob = entry.setting.knob;
    kept += (kept.empty() ? "" : "; ") + knob.substr(knob.find('.') + 1) + " ";
    if (!entry.from.empty()) kept += entry.from + " -> ";
    kept += entry.setting.value;
    if (entry.measured) kept += ", " + run::speedup_text(*entry.measured, kMeasuredDecimals);
  }
  if (kept.empty()) {
    kept = tuned.tried > 0 ? "nothing stayed, of " + std::to_string(tuned.tried) + " tried"
           : !tuned.left_out.empty() ? "nothing was tried"
                                     : "nothing promised a gain that keeps the training as it is";
  }
  std::string text = "while it ran: " + kept;
  if (tuned.tried > 0) {
    text += "; the search took " + format_seconds(tuned.seconds);
    if (tuned.lost_s) {
      const bool none = *tuned.lost_s < 0.05;
      text += none ? ", none of it lost" : ", " + format_seconds(*tuned.lost_s) + " of it lost";
    }
  }
  if (!tuned.cut_by.empty()) text += "; it ended early: " + tuned.cut_by;
  for (const std::string& one : tuned.left_out) text += "; " + one;
  return text;
}

}  // namespace

void add_plan(const run::Report& report, Page& page) {
  if (report.tuned) {
    page.add_field(kNextFix, "Tuned", cleaned(tuned_text(*report.tuned), page.style()));
  }
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
