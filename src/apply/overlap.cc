#include "apply/overlap.h"

#include <algorithm>
#include <cstdint>

namespace flatout::apply {
namespace {

enum class Acts : std::uint8_t { kAlone, kOnLoading, kOnComputing };

Acts acts_on(const std::string& knob) {
  if (knob.starts_with("dataloader.") || knob == "env.intraop_threads") return Acts::kOnLoading;
  for (const char* prefix : {"precision.", "compile.", "layout.", "attention.", "kernels."}) {
    if (knob.starts_with(prefix)) return Acts::kOnComputing;
  }
  return Acts::kAlone;
}

bool needs_workers(const std::string& knob) {
  return knob == "dataloader.prefetch_factor" || knob == "dataloader.persistent_workers";
}

}  // namespace

bool overlap(const std::string& knob, const std::string& later) {
  if (knob == later || (knob == "dataloader.num_workers" && needs_workers(later))) return false;
  return acts_on(knob) != Acts::kAlone && acts_on(knob) == acts_on(later);
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
