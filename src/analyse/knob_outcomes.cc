#include "analyse/knob_outcomes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "run/observed.h"

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

// The last word of the process on each knob, over what `out` says.
void hear(std::span<const run::KnobFact> said, std::vector<run::KnobOutcome>& out,
          std::vector<bool>& heard) {
  std::vector<bool> now(out.size(), false);
  for (const run::KnobFact& word : said) {
    const auto found = std::ranges::find(
        out, word.knob, [](const run::KnobOutcome& outcome) { return outcome.asked.knob; });
    if (found == out.end()) continue;
    const auto index = static_cast<std::size_t>(found - out.begin());
    if (heard[index]) continue;
    now[index] = true;
    found->applied = word.applied;
    found->reason = word.reason;
    found->effect = word.effect;
    found->most = word.most;
    found->from = word.from;
  }
  for (std::size_t i = 0; i < now.size(); ++i) heard[i] = heard[i] || now[i];
}

// A rank that gave a knob up after all had agreed to set it: then not all ran under it.
void hear_refusals(const run::Observed& said, std::vector<run::KnobOutcome>& out) {
  const run::RankFact* rank = run::latest_of(said.ranks);
  if (rank == nullptr) return;
  std::vector<run::KnobOutcome> own = out;
  std::vector<bool> heard(own.size(), false);
  hear(said.knobs, own, heard);
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
  if (first != timeline.processes.end()) hear(first->second.facts.observed().knobs, out, heard);
  for (const auto& [pid, process] : timeline.processes) {
    if (pid != step_process) hear(process.facts.observed().knobs, out, heard);
  }
  for (const auto& [pid, process] : timeline.processes) {
    if (pid != step_process) hear_refusals(process.facts.observed(), out);
  }
  return out;
}

}  // namespace flatout::analyse
