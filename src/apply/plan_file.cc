#include "apply/plan_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "apply/knob_values.h"
#include "apply/toml_text.h"
#include "apply/user_knob.h"
#include "base/file.h"
#include "base/toml.h"
#include "run/knob_table.h"

namespace flatout::apply {
namespace {

using base::ErrorCode;
using base::Result;

std::unexpected<base::Error> wrong(const std::string& name, const toml::source_region& where,
                                   const std::string& what) {
  return base::fail(ErrorCode::kInvalid,
                    name + ", line " + std::to_string(where.begin.line) + ": " + what);
}

// The JSON literal of a TOML scalar; "" for anything else.
std::string literal(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_floating_point()) {
    return std::isfinite(value->get()) ? nlohmann::json(value->get()).dump() : "";
  }
  if (const auto* value = node.as_string()) {
    return nlohmann::json(value->get())
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return "";
}

// `dataloader.num_workers = 6` is a table in a table: leaves become dotted names.
Result<void> add_knobs(const toml::table& table, const std::string& prefix, const std::string& name,
                       std::vector<std::pair<toml::source_position, run::PlanEntry>>& out) {
  for (const auto& [key, node] : table) {
    const std::string knob = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      if (auto added = add_knobs(*inner, knob + ".", name, out); !added) return added;
      continue;
    }
    const std::string value = literal(node);
    if (value.empty()) {
      return wrong(name, node.source(),
                   knob + " must be a number, true, false or a text, such as " + knob + " = 4");
    }
    const run::KnobFacts* facts = run::knob_facts(knob);
    const std::string problem = facts == nullptr ? "" : wrong_value(facts->values, value);
    if (!problem.empty()) {
      return wrong(name, node.source(), knob + " = " + toml_value(value) + ": " + problem);
    }
    run::PlanEntry entry;
    entry.setting = {knob, value};
    out.emplace_back(node.source().begin, std::move(entry));
  }
  return {};
}

Result<std::optional<run::Speedup>> speedup(const toml::table& evidence, const char* key,
                                            const std::string& name) {
  const toml::node* node = evidence.get(key);
  if (node == nullptr) return std::optional<run::Speedup>();
  const auto* list = node->as_array();
  std::vector<double> numbers;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto number = list->get(i)->value<double>();
    if (number && std::isfinite(*number) && *number > 0) numbers.push_back(*number);
  }
  if (numbers.size() != 3 || list->size() != 3) {
    return wrong(name, node->source(),
                 std::string(key) + " must be three numbers above 0: ratio, low and high");
  }
  return run::Speedup{numbers[0], numbers[1], numbers[2]};
}

Result<void> add_evidence(const toml::table& evidence, const std::string& name, run::Plan& plan) {
  const auto knob = evidence["knob"].value<std::string>();
  if (!knob) return wrong(name, evidence.source(), "[[evidence]] must name its knob");
  const auto entry = std::ranges::find(plan.entries, *knob,
                                       [](const run::PlanEntry& e) { return e.setting.knob; });
  if (entry == plan.entries.end()) return {};  // of a knob that was taken out by hand
  auto predicted = speedup(evidence, "predicted", name);
  if (!predicted) return std::unexpected(predicted.error());
  auto measured = speedup(evidence, "measured", name);
  if (!measured) return std::unexpected(measured.error());
  entry->predicted = *predicted;
  entry->measured = *measured;
  if (const toml::node* from = evidence.get("from")) entry->from = literal(*from);
  if (const auto* runs = evidence["runs"].as_array()) {
    for (const auto& run : *runs) {
      if (const auto id = run.value<std::string>()) entry->runs.push_back(*id);
    }
  }
  return {};
}

// `argument = "--workers={}"` or `environment = "OMP_NUM_THREADS={}"`, as a pattern.
Result<std::string> pattern_of(const toml::table& knob, const std::string& name) {
  const auto argument = knob["argument"].value<std::string>();
  const auto environment = knob["environment"].value<std::string>();
  if (argument.has_value() == environment.has_value()) {
    return wrong(name, knob.source(),
                 "[[knob]] must say how it is set: argument = \"--workers={}\" or environment = "
                 "\"OMP_NUM_THREADS={}\"");
  }
  const std::string pattern = argument ? *argument : "env:" + *environment;
  const bool disguised = argument && argument->starts_with("env:");
  if (const auto sane = check_pattern(pattern); !sane || disguised) {
    return wrong(name, knob.source(),
                 sane ? "an argument cannot begin with env:; write environment = \"NAME={}\""
                      : sane.error().message);
  }
  return pattern;
}

Result<run::PlanEntry> own_knob(const toml::table& knob, const std::string& name) {
  const auto called = knob["name"].value<std::string>();
  if (!called || !is_knob_name(*called)) {
    return wrong(name, knob.source(),
                 "[[knob]] must have a name of 1 to 64 letters, digits, _ and -");
  }
  const toml::node* value = knob.get("value");
  const std::string json = value == nullptr ? "" : literal(*value);
  if (json.empty()) {
    return wrong(name, knob.source(),
                 "[[knob]] " + *called + " must have a value, such as value = 4");
  }
  if (json.find("\\u0000") != std::string::npos) {
    return wrong(name, knob.source(), "[[knob]] " + *called + ": its value holds a NUL");
  }
  auto pattern = pattern_of(knob, name);
  if (!pattern) return std::unexpected(pattern.error());
  run::PlanEntry entry;
  entry.setting = {std::string(run::kUserKnob) + *called, json, std::move(*pattern)};
  return entry;
}

Result<void> add_own_knobs(const toml::table& document, const std::string& name, run::Plan& plan) {
  const toml::node* there = document.get("knob");
  if (there == nullptr) return {};
  const auto* list = there->as_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto* table = list->get(i)->as_table();
    if (table == nullptr) list = nullptr;
    if (table == nullptr) break;
    auto entry = own_knob(*table, name);
    if (!entry) return std::unexpected(entry.error());
    const bool twice = std::ranges::any_of(plan.entries, [&](const run::PlanEntry& known) {
      return known.setting.knob == entry->setting.knob;
    });
    if (twice) return wrong(name, table->source(), entry->setting.knob + " is there twice");
    plan.entries.push_back(std::move(*entry));
  }
  if (list == nullptr) {
    return wrong(name, there->source(),
                 "a knob of your own is a table: [[knob]], with two brackets");
  }
  return {};
}

Result<run::Plan> from_document(const toml::table& document, const std::string& name) {
  const auto* knobs = document["knobs"].as_table();
  if (knobs == nullptr) {
    return base::fail(ErrorCode::kInvalid, name +
                                               ": a plan needs a table [knobs] with lines such as "
                                               "dataloader.num_workers = 4");
  }
  std::vector<std::pair<toml::source_position, run::PlanEntry>> found;
  if (auto added = add_knobs(*knobs, "", name, found); !added) {
    return std::unexpected(added.error());
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  run::Plan plan;
  plan.made_by = document["made_by"].value_or(std::string());
  for (auto& [position, entry] : found) plan.entries.push_back(std::move(entry));
  if (auto added = add_own_knobs(document, name, plan); !added) {
    return std::unexpected(added.error());
  }
  const auto* evidence = document["evidence"].as_array();
  for (std::size_t i = 0; evidence != nullptr && i < evidence->size(); ++i) {
    const auto* table = evidence->get(i)->as_table();
    if (table == nullptr) continue;
    if (auto added = add_evidence(*table, name, plan); !added) {
      return std::unexpected(added.error());
    }
  }
  return plan;
}

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

std::string own_knob_text(const run::KnobSetting& setting) {
  const std::string variable = variable_name(setting.pattern);
  std::string out =
      "\n[[knob]]\nname = " + toml_string(setting.knob.substr(run::kUserKnob.size())) + "\n";
  out += variable.empty()
             ? "argument = " + toml_string(setting.pattern)
             : "environment = " + toml_string(setting.pattern.substr(kEnvironmentPattern.size()));
  return out + "\nvalue = " + toml_value(setting.value) + "\n";
}

std::string evidence_text(const run::PlanEntry& entry) {
  std::string out = "\n[[evidence]]\nknob = " + toml_string(entry.setting.knob) + "\n";
  if (!entry.from.empty()) out += "from = " + toml_value(entry.from) + "\n";
  if (entry.predicted) out += "predicted = " + toml_list(*entry.predicted) + "\n";
  if (entry.measured) out += "measured = " + toml_list(*entry.measured) + "\n";
  if (!entry.runs.empty()) out += "runs = " + toml_list(entry.runs) + "\n";
  return out;
}

}  // namespace

Result<run::Plan> parse_plan(std::string_view text, const std::string& name) {
  if (text.size() > kMaxPlanBytes) {
    return base::fail(ErrorCode::kTooLarge, name + ": a plan has at most 1 MiB");
  }
  // What toml++ makes of white space beyond ASCII is not defined (3.3.0, U+FEFB).
  const auto odd = std::ranges::find_if(text, [](char c) { return (c & 0x80) != 0; });
  if (odd != text.end()) {
    const auto line = 1 + std::count(text.begin(), odd, '\n');
    return base::fail(ErrorCode::kInvalid, name + ", line " + std::to_string(line) +
                                               ": a plan is ASCII; write \\u00e9 for e acute");
  }
  try {
    return from_document(toml::parse(text), name);
  } catch (const toml::parse_error& error) {
    return wrong(name, error.source(), std::string(error.description()));
  } catch (const std::logic_error& error) {  // an assertion, see toml.h
    return base::fail(ErrorCode::kInvalid, name + ": " + error.what());
  }
}

Result<run::Plan> read_plan(const std::filesystem::path& path) {
  const auto text = base::read_file(path, kMaxPlanBytes);
  if (!text) return std::unexpected(text.error());
  return parse_plan(*text, path.string());
}

std::string plan_text(const run::Plan& plan, const std::vector<std::string>& comments) {
  std::string out;
  for (const std::string& line : comments) out += "# " + line + "\n";
  if (!plan.made_by.empty()) out += "made_by = " + toml_string(plan.made_by) + "\n";
  out += "\n[knobs]\n";
  for (const auto& entry : plan.entries) {
    if (set_from_outside(entry.setting)) continue;
    out += toml_key(entry.setting.knob) + " = " + toml_value(entry.setting.value) + "\n";
  }
  for (const auto& entry : plan.entries) {
    if (set_from_outside(entry.setting)) out += own_knob_text(entry.setting);
  }
  for (const auto& entry : plan.entries) {
    const bool known = entry.predicted || entry.measured || !entry.from.empty();
    if (known || !entry.runs.empty()) out += evidence_text(entry);
  }
  return out;
}

run::Plan compose(const std::vector<run::Plan>& plans) {
  run::Plan out;
  for (const auto& plan : plans) {
    out.made_by = plans.size() == 1 ? plan.made_by : "";
    for (const auto& entry : plan.entries) {
      const auto known = std::ranges::find(out.entries, entry.setting.knob,
                                           [](const run::PlanEntry& e) { return e.setting.knob; });
      if (known == out.entries.end()) {
        out.entries.push_back(entry);
      } else {
        *known = entry;
      }
    }
  }
  return out;
}

}  // namespace flatout::apply
