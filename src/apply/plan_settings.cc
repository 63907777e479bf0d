#include "apply/plan_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apply/knob_values.h"
#include "apply/nearest_knob.h"
#include "apply/user_knob.h"
#include "run/knob_table.h"

namespace flatout::apply {
namespace {

bool is_declared(const run::KnobSetting& setting) {
  return setting.knob.starts_with(run::kProgramKnob);
}

bool is_whole(const std::string& value) {
  const std::size_t sign = value.starts_with('-') ? 1 : 0;
  return value.size() > sign && value.find_first_not_of("0123456789", sign) == std::string::npos;
}

// A variable that two knobs set has the later one's value.
void put(std::vector<std::pair<std::string, std::string>>& to,
         std::pair<std::string, std::string> variable) {
  std::erase_if(to, [&](const auto& there) { return there.first == variable.first; });
  to.push_back(std::move(variable));
}

// `own` is a list such as "a:1,expandable_segments:False"; its items of the name of `item` are
// replaced by that one.
std::string with_item(std::string_view own, std::string_view item) {
  const std::string_view name = item.substr(0, item.find(':'));
  std::string out;
  while (!own.empty()) {
    const auto comma = std::min(own.find(','), own.size());
    const std::string_view part = own.substr(0, comma);
    if (!part.contains(name) && !part.empty()) out.append(part).append(",");
    own.remove_prefix(std::min(comma + 1, own.size()));
  }
  return out.append(item);
}

// Each variable that the user sets is extended, else the last one is set: torch reads the new name
// of its allocator's variable first and knows the old one in all releases.
void set_beside(const run::KnobVariables& variables, const std::string& item,
                std::span<const std::string> environment,
                std::vector<std::pair<std::string, std::string>>& out) {
  const std::size_t before = out.size();
  for (const std::string_view name : variables.names) {
    const std::string head = std::string(name) + "=";
    const auto own = std::ranges::find_if(
        environment, [&](const std::string& entry) { return entry.starts_with(head); });
    if (own == environment.end()) continue;
    out.emplace_back(name, with_item(std::string_view(*own).substr(head.size()), item));
  }
  if (out.size() == before) out.emplace_back(variables.names.back(), item);
}

// What is declared to set a knob before the program starts. A value that is none sets nothing.
void set_declared_variables(const run::KnobSetting& setting,
                            std::span<const std::string> environment,
                            std::vector<std::pair<std::string, std::string>>& out) {
  const run::KnobFacts* facts = run::knob_facts(setting.knob);
  if (facts == nullptr || facts->variables.names.empty()) return;
  if (!wrong_value(facts->values, setting.value).empty()) return;
  std::string text(facts->variables.text);
  text.replace(text.find("{}"), 2, run::python_literal(setting.value));
  if (facts->variables.beside) return set_beside(facts->variables, text, environment, out);
  for (const std::string_view name : facts->variables.names) put(out, {std::string(name), text});
}

template <typename Wanted>
std::string json_of(const run::Plan& plan, Wanted wanted) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& entry : plan.entries) {
    if (!wanted(entry.setting)) continue;
    // A value that is no JSON (a caller's mistake) travels as the text it is.
    auto value = nlohmann::ordered_json::parse(entry.setting.value, nullptr, false);
    out[entry.setting.knob] =
        value.is_discarded() ? nlohmann::ordered_json(entry.setting.value) : std::move(value);
  }
  if (out.empty()) return "";
  return out.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

bool set_from_outside(const run::KnobSetting& setting) { return !setting.pattern.empty(); }

bool is_variable(const run::KnobSetting& setting) {
  return setting.pattern.starts_with(kEnvironmentPattern);
}

bool can_be_set(const run::KnobSetting& setting) {
  if (set_from_outside(setting)) return check_pattern(setting.pattern).has_value();
  return is_declared(setting) || find_knob(setting.knob) != nullptr;
}

std::string why_unknown(const run::KnobSetting& setting) {
  const std::string near = nearest_knob(setting.knob);
  const std::string text = "this version knows no such knob";
  return near.empty() ? text : text + "; did you mean " + near + "?";
}

std::string plan_json(const run::Plan& plan) {
  return json_of(plan, [](const run::KnobSetting&) { return true; });
}

std::string hooks_json(const run::Plan& plan) {
  return json_of(plan, [](const run::KnobSetting& setting) {
    return !set_from_outside(setting) && !is_declared(setting);
  });
}

std::vector<std::pair<std::string, std::string>> plan_environment(
    const run::Plan& plan, std::span<const std::string> environment) {
  std::vector<std::pair<std::string, std::string>> out;
  std::string declared;
  for (const auto& entry : plan.entries) {
    const run::KnobSetting& setting = entry.setting;
    set_declared_variables(setting, environment, out);
    if (is_variable(setting) && can_be_set(setting)) {
      put(out, set_variable(setting.pattern, setting.value));
    }
    if (is_declared(setting) && is_whole(setting.value)) {
      declared += (declared.empty() ? "" : ",") + setting.knob.substr(run::kProgramKnob.size()) +
                  "=" + setting.value;
    }
  }
  if (!declared.empty()) out.emplace_back("FLATOUT_KNOBS", std::move(declared));
  return out;
}

std::vector<std::string> planned_command(const run::Plan& plan, std::vector<std::string> command) {
  for (const auto& entry : plan.entries) {
    const run::KnobSetting& setting = entry.setting;
    if (!set_from_outside(setting) || is_variable(setting) || !can_be_set(setting)) continue;
    command = set_argument(std::move(command), setting.pattern, setting.value);
  }
  return command;
}

}  // namespace flatout::apply
