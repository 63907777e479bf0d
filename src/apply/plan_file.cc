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

run::PlanEntry* entry_for(std::vector<run::PlanEntry>& entries, const std::string& knob) {
  const auto found = std::ranges::find(
      entries, knob, [](const run::PlanEntry& entry) { return entry.setting.knob; });
  return found == entries.end() ? nullptr : &*found;
}

Result<void> add_evidence(const toml::table& evidence, const std::string& name, run::Plan& plan) {
  const auto knob = evidence["knob"].value<std::string>();
  if (!knob) return wrong(name, evidence.source(), "[[evidence]] must name its knob");
  run::PlanEntry* entry = entry_for(plan.entries, *knob);
  if (entry == nullptr) entry = entry_for(plan.unproved, *knob);
  if (entry == nullptr) return {};  // of a knob that was taken out by hand
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
    const std::string& own = entry->setting.knob;
    if (entry_for(plan.entries, own) != nullptr || entry_for(plan.unproved, own) != nullptr) {
      return wrong(name, table->source(), own + " is there twice");
    }
    const toml::node* marked = table->get("unproved");
    if (marked != nullptr && !marked->is_boolean()) {
      return wrong(name, marked->source(), own + ": unproved must be true or false");
    }
    const bool unproved = marked != nullptr && marked->value_or(false);
    (unproved ? plan.unproved : plan.entries).push_back(std::move(*entry));
  }
  if (list == nullptr) {
    return wrong(name, there->source(),
                 "a knob of your own is a table: [[knob]], with two brackets");
  }
  return {};
}

// In the order of the text.
Result<std::vector<run::PlanEntry>> entries_in(const toml::table& knobs, const std::string& name) {
  std::vector<std::pair<toml::source_position, run::PlanEntry>> found;
  if (auto added = add_knobs(knobs, "", name, found); !added) {
    return std::unexpected(added.error());
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<run::PlanEntry> out;
  for (auto& [position, entry] : found) out.push_back(std::move(entry));
  return out;
}

Result<void> unproved_in(const toml::table& document, run::Plan& plan, const std::string& name) {
  const toml::node* there = document.get("unproved");
  if (there == nullptr) return {};
  const auto* table = there->as_table();
  if (table == nullptr) {
    return wrong(name, there->source(), "unproved is a table [unproved] with lines as in [knobs]");
  }
  auto entries = entries_in(*table, name);
  if (!entries) return std::unexpected(entries.error());
  for (const auto& entry : *entries) {
    if (entry_for(plan.entries, entry.setting.knob) == nullptr) continue;
    return wrong(name, there->source(),
                 entry.setting.knob + " is in [knobs] and in [unproved]: leave out one of them");
  }
  plan.unproved = std::move(*entries);
  return {};
}

Result<run::Plan> from_document(const toml::table& document, const std::string& name) {
  const auto* knobs = document["knobs"].as_table();
  if (knobs == nullptr) {
    return base::fail(ErrorCode::kInvalid, name +
                                               ": a plan needs a table [knobs] with lines such as "
                                               "dataloader.num_workers = 4");
  }
  run::Plan plan;
  plan.made_by = document["made_by"].value_or(std::string());
  auto proved = entries_in(*knobs, name);
  if (!proved) return std::unexpected(proved.error());
  plan.entries = std::move(*proved);
  if (auto unproved = unproved_in(document, plan, name); !unproved) {
    return std::unexpected(unproved.error());
  }
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

run::Plan compose(const std::vector<run::Plan>& plans) {
  run::Plan out;
  const auto put = [](std::vector<run::PlanEntry>& entries, const run::PlanEntry& entry) {
    run::PlanEntry* known = entry_for(entries, entry.setting.knob);
    if (known != nullptr) *known = entry;
    if (known == nullptr) entries.push_back(entry);
  };
  for (const auto& plan : plans) {
    out.made_by = plans.size() == 1 ? plan.made_by : "";
    for (const auto& entry : plan.entries) put(out.entries, entry);
    for (const auto& entry : plan.unproved) put(out.unproved, entry);
  }
  // A setting that one of the plans proves is proved.
  std::erase_if(out.unproved, [&](const run::PlanEntry& entry) {
    return entry_for(out.entries, entry.setting.knob) != nullptr;
  });
  return out;
}

}  // namespace flatout::apply
