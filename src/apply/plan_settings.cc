#include "apply/plan_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apply/user_knob.h"

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

// "a:1,expandable_segments:False" with another word for the segments.
std::string with_segments(std::string_view own, std::string_view word) {
  std::string out;
  while (!own.empty()) {
    const auto comma = std::min(own.find(','), own.size());
    const std::string_view part = own.substr(0, comma);
    if (!part.contains("expandable_segments") && !part.empty()) out.append(part).append(",");
    own.remove_prefix(std::min(comma + 1, own.size()));
  }
  return out.append(word);
}

// torch reads the new name first and knows the old one in all releases: each that the
// user sets is extended, else the old one is set.
void set_expandable_segments(const std::string& value, std::span<const std::string> environment,
                             std::vector<std::pair<std::string, std::string>>& out) {
  if (value != "true" && value != "false") return;
  const std::string word = "expandable_segments:" + run::python_literal(value);
  const std::size_t before = out.size();
  for (const std::string name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    for (const std::string& entry : environment) {
      if (!entry.starts_with(name + "=")) continue;
      out.emplace_back(name, with_segments(std::string_view(entry).substr(name.size() + 1), word));
      break;
    }
  }
  if (out.size() == before) out.emplace_back("PYTORCH_CUDA_ALLOC_CONF", word);
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
    const bool positive = is_whole(setting.value) && !setting.value.starts_with('-');
    if (setting.knob == "alloc.expandable_segments") {
      set_expandable_segments(setting.value, environment, out);
    }
    if (setting.knob == "env.intraop_threads" && positive) {
      put(out, {"OMP_NUM_THREADS", setting.value});
      put(out, {"MKL_NUM_THREADS", setting.value});
    }
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
