#include "apply/overlap.h"

#include <algorithm>

#include "run/knob_table.h"

namespace flatout::apply {
namespace {

// A knob that is not flatout's own is taken to act on nothing that another one acts on.
run::KnobActsOn acts_on(const std::string& knob) {
  const run::KnobFacts* facts = run::knob_facts(knob);
  return facts == nullptr ? run::KnobActsOn::kNothingShared : facts->acts_on;
}

bool requires_knob(const std::string& knob, const std::string& other) {
  const run::KnobFacts* facts = run::knob_facts(knob);
  return facts != nullptr &&
         std::ranges::find(facts->required_knobs, other) != facts->required_knobs.end();
}

}  // namespace

bool overlap(const std::string& knob, const std::string& later) {
  if (knob == later || requires_knob(later, knob)) return false;
  return acts_on(knob) != run::KnobActsOn::kNothingShared && acts_on(knob) == acts_on(later);
}

std::vector<OverlapPair> overlapping(const std::vector<run::KnobSetting>& stack,
                                     const std::vector<run::TuneTrial>& trials) {
  std::vector<std::string> order;  // as they were last kept
  for (const auto& trial : trials) {
    const bool stands =
        std::ranges::find(stack, trial.knob, &run::KnobSetting::knob) != stack.end();
    if (!trial.kept || !stands) continue;
    std::erase(order, trial.knob);
    order.push_back(trial.knob);
  }
  std::vector<OverlapPair> out;
  for (auto knob = order.begin(); knob != order.end(); ++knob) {
    const auto later = std::find_if(knob + 1, order.end(),
                                    [&](const auto& other) { return overlap(*knob, other); });
    if (later != order.end()) out.push_back({.knob = *knob, .later = *later});
  }
  return out;
}

}  // namespace flatout::apply
