#include "cli/tune_explain.h"

#include "apply/knobs/knob.h"
#include "apply/nearest_knob.h"
#include "apply/plan_settings.h"
#include "apply/user_knob.h"
#include "base/shell_word.h"
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

// Of a knob that the user or the program made; "" for flatout's own.
std::string own_knob_by_hand(const run::KnobSetting& setting) {
  std::string text;
  if (apply::is_variable(setting)) {
    const auto [name, value] = apply::set_variable(setting.pattern, setting.value);
    add_way(text, "environment:        ", name + "=" + base::shown_shell_word(value, false));
  } else if (apply::set_from_outside(setting)) {
    std::string words;
    for (const auto& word : apply::set_argument({}, setting.pattern, setting.value)) {
      words += (words.empty() ? "" : " ") + base::shown_shell_word(word, false);
    }
    add_way(text, "command line:       ", words);
  } else if (setting.knob.starts_with(run::kProgramKnob)) {
    const std::string name = setting.knob.substr(run::kProgramKnob.size());
    add_way(text, "in the program:     ",
            "flatout_knob_int(\"" + name + "\", " + setting.value + ", ...)");
  }
  return text;
}

std::string explained(const run::PlanEntry& entry, const app::HandEdits& edits) {
  std::string text = entry.setting.knob + " = " + entry.setting.value;
  if (!entry.from.empty()) text += " (was " + entry.from + ")";
  if (const std::string gain = gain_of(entry); !gain.empty()) text += "  " + gain;
  text += "\n";
  if (const std::string line = own_knob_by_hand(entry.setting); !line.empty()) return text + line;
  const apply::Knob* knob = apply::find_knob(entry.setting.knob);
  if (knob == nullptr) {
    const std::string near = apply::nearest_knob(entry.setting.knob);
    const std::string meant = near.empty() ? "" : "; did you mean " + near + "?";
    return text + "  this version of flatout knows no such knob" + meant + "\n";
  }
  const apply::ByHand ways = knob->by_hand(entry.setting.value);
  add_way(text, "script:             ", ways.script);
  add_way(text, "TrainingArguments:  ", ways.hf, "as in the script");
  add_way(text, "lightning.Trainer:  ", ways.lightning, "as in the script");
  if (const auto where = edits.where.find(entry.setting.knob); where != edits.where.end()) {
    add_way(text, "where:              ", where->second);
  }
  if (knob->along != nullptr) {
    add_way(text, "along with it:      ", knob->along(entry.from, entry.setting.value));
  }
  return text;
}

}  // namespace

std::string explained_by_hand(const run::Plan& plan, const app::HandEdits& edits) {
  std::string text;
  for (const auto& entry : plan.entries) text += explained(entry, edits);
  if (!plan.unproved.empty()) {
    text += "\nfaster, but not yet proved to train the same (flatout run --accept-unproved):\n\n";
  }
  for (const auto& entry : plan.unproved) text += explained(entry, edits);
  if (text.empty()) return "the plan sets no knob\n";
  if (edits.diff.empty()) return text;
  return text + "\nwhere the line is known, as a change for git apply:\n\n" + edits.diff;
}

}  // namespace flatout::cli
