#include "cli/tune_explain.h"

#include "apply/knobs/knob.h"
#include "report/text_parts.h"

namespace flatout::cli {
namespace {

std::string gain_of(const run::PlanEntry& entry) {
  if (entry.measured) return "measured " + report::speedup_text(*entry.measured);
  if (entry.predicted) return "predicted " + report::speedup_text(*entry.predicted);
  return "";
}

void add_way(std::string& text, const char* where, const std::string& line,
             const char* without = "") {
  if (!line.empty() || *without != '\0') {
    text += std::string("  ") + where + (line.empty() ? without : line) + "\n";
  }
}

}  // namespace

std::string explained_by_hand(const run::Plan& plan) {
  std::string text;
  for (const auto& entry : plan.entries) {
    text += entry.setting.knob + " = " + entry.setting.value;
    if (!entry.from.empty()) text += " (was " + entry.from + ")";
    if (const std::string gain = gain_of(entry); !gain.empty()) text += "  " + gain;
    text += "\n";
    const apply::Knob* knob = apply::find_knob(entry.setting.knob);
    if (knob == nullptr) {
      text += "  this version of flatout knows no such knob\n";
      continue;
    }
    const apply::ByHand ways = knob->by_hand(entry.setting.value);
    add_way(text, "script:             ", ways.script);
    add_way(text, "TrainingArguments:  ", ways.hf, "as in the script");
    add_way(text, "lightning.Trainer:  ", ways.lightning, "as in the script");
  }
  return text.empty() ? "the plan sets no knob\n" : text;
}

}  // namespace flatout::cli
