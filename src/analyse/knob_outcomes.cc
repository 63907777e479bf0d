#include "analyse/knob_outcomes.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "analyse/fact_reader.h"
#include "run/facts.h"

namespace flatout::analyse {
namespace {

using Json = nlohmann::ordered_json;  // the plan's order is what users wrote

std::string literal(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::vector<run::KnobOutcome> asked_for(const std::optional<std::string>& plan_json) {
  std::vector<run::KnobOutcome> out;
  const Json plan = Json::parse(plan_json.value_or("{}"), nullptr, /*allow_exceptions=*/false);
  if (!plan.is_object()) return out;
  for (const auto& [knob, value] : plan.items()) {
    out.push_back({.asked = {knob, literal(value)},
                   .from = "",
                   .applied = false,
                   .reason = "the program did not come to it"});
  }
  return out;
}

constexpr std::int64_t kMostCount = 1 << 30;  // above it, it is no number of anything

std::optional<std::int64_t> count(const Json& said, const char* key) {
  const auto found = said.find(key);
  if (found == said.end() || !found->is_number_integer()) return std::nullopt;
  if (*found < 0 || *found > kMostCount) return std::nullopt;
  return found->get<std::int64_t>();
}

// The last word of the process on each knob, over what `out` says.
void hear(std::span<const run::Fact> facts, std::vector<run::KnobOutcome>& out,
          std::vector<bool>& heard) {
  std::vector<bool> now(out.size(), false);
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kKnob) continue;
    const Json said = Json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object() || !said.contains("knob") || !said["knob"].is_string()) continue;
    const auto found =
        std::ranges::find(out, said["knob"].get<std::string>(),
                          [](const run::KnobOutcome& outcome) { return outcome.asked.knob; });
    if (found == out.end()) continue;
    const auto index = static_cast<std::size_t>(found - out.begin());
    if (heard[index]) continue;
    now[index] = true;
    const auto applied = said.find("applied");
    const auto reason = said.find("reason");
    found->applied = applied != said.end() && applied->is_boolean() && applied->get<bool>();
    found->reason = reason != said.end() && reason->is_string() ? reason->get<std::string>() : "";
    const auto effect = said.find("effect");
    found->effect = effect != said.end() && effect->is_string() ? effect->get<std::string>() : "";
    found->most = count(said, "most");
    found->from = said.contains("from") ? literal(said["from"]) : "";
  }
  for (std::size_t i = 0; i < now.size(); ++i) heard[i] = heard[i] || now[i];
}

// A rank that gave a knob up after all had agreed to set it: then not all ran under it.
void hear_refusals(std::span<const run::Fact> facts, std::vector<run::KnobOutcome>& out) {
  const auto rank = rank_fact(facts);
  if (!rank) return;
  std::vector<run::KnobOutcome> own = out;
  std::vector<bool> heard(own.size(), false);
  hear(facts, own, heard);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!heard[i] || own[i].applied || !out[i].applied) continue;
    out[i].applied = false;
    out[i].reason = own[i].reason.starts_with("rank ")
                        ? own[i].reason
                        : "rank " + std::to_string(rank->rank) + ": " + own[i].reason;
  }
}

}  // namespace

std::vector<run::KnobOutcome> knob_outcomes(const run::Timeline& timeline, pid_t step_process) {
  std::vector<run::KnobOutcome> out = asked_for(timeline.info.plan_json);
  if (out.empty()) return out;
  std::vector<bool> heard(out.size(), false);
  const auto first = timeline.processes.find(step_process);
  if (first != timeline.processes.end()) hear(first->second.facts, out, heard);
  for (const auto& [pid, process] : timeline.processes) {
    if (pid != step_process) hear(process.facts, out, heard);
  }
  for (const auto& [pid, process] : timeline.processes) {
    if (pid != step_process) hear_refusals(process.facts, out);
  }
  return out;
}

}  // namespace flatout::analyse
