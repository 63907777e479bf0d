#include <cstdio>
#include <string>
#include <vector>

#include "apply/plan_file.h"
#include "apply/toml_text.h"
#include "apply/user_knob.h"

namespace flatout::apply {
namespace {

// Four digits say all that a trial knows.
std::string toml_list(const run::Speedup& speedup) {
  char text[128];
  std::snprintf(text, sizeof text, "[%.4g, %.4g, %.4g]", speedup.ratio, speedup.lo, speedup.hi);
  return text;
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + toml_string(text);
  return "[" + out + "]";
}

std::string own_knob_text(const run::KnobSetting& setting, bool unproved) {
  const std::string variable = variable_name(setting.pattern);
  std::string out =
      "\n[[knob]]\nname = " + toml_string(setting.knob.substr(run::kUserKnob.size())) + "\n";
  out += variable.empty()
             ? "argument = " + toml_string(setting.pattern)
             : "environment = " + toml_string(setting.pattern.substr(kEnvironmentPattern.size()));
  return out + "\nvalue = " + toml_value(setting.value) + "\n" +
         (unproved ? "unproved = true\n" : "");
}

std::string evidence_text(const run::PlanEntry& entry) {
  std::string out = "\n[[evidence]]\nknob = " + toml_string(entry.setting.knob) + "\n";
  if (!entry.from.empty()) out += "from = " + toml_value(entry.from) + "\n";
  if (entry.predicted) out += "predicted = " + toml_list(*entry.predicted) + "\n";
  if (entry.measured) out += "measured = " + toml_list(*entry.measured) + "\n";
  if (!entry.runs.empty()) out += "runs = " + toml_list(entry.runs) + "\n";
  return out;
}

std::string evidence_text(const std::vector<run::PlanEntry>& entries) {
  std::string out;
  for (const auto& entry : entries) {
    const bool known = entry.predicted || entry.measured || !entry.from.empty();
    if (known || !entry.runs.empty()) out += evidence_text(entry);
  }
  return out;
}

// Those that the program's hooks set.
std::string settings_text(const std::vector<run::PlanEntry>& entries) {
  std::string out;
  for (const auto& entry : entries) {
    if (set_from_outside(entry.setting)) continue;
    out += toml_key(entry.setting.knob) + " = " + toml_value(entry.setting.value) + "\n";
  }
  return out;
}

std::string own_knobs_text(const std::vector<run::PlanEntry>& entries, bool unproved) {
  std::string out;
  for (const auto& entry : entries) {
    if (set_from_outside(entry.setting)) out += own_knob_text(entry.setting, unproved);
  }
  return out;
}

}  // namespace

std::string plan_text(const run::Plan& plan, const std::vector<std::string>& comments) {
  std::string out;
  for (const std::string& line : comments) out += "# " + line + "\n";
  if (!plan.made_by.empty()) out += "made_by = " + toml_string(plan.made_by) + "\n";
  out += "\n[knobs]\n" + settings_text(plan.entries);
  if (const std::string unproved = settings_text(plan.unproved); !unproved.empty()) {
    out += "\n[unproved]\n" + unproved;
  }
  out += own_knobs_text(plan.entries, false) + own_knobs_text(plan.unproved, true);
  return out + evidence_text(plan.entries) + evidence_text(plan.unproved);
}

}  // namespace flatout::apply
