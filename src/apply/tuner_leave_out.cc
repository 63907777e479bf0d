// Leave-one-out: whether a knob still gains something beside those kept after it.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apply/overlap.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {

using base::Result;

Result<void> Tuner::leave_out_again() {
  const auto pairs = overlapping(stack_, out_.trials);
  for (const OverlapPair& pair : pairs) {
    // The one that made it superfluous may itself be out by now.
    if (std::ranges::find(stack_, pair.later, &run::KnobSetting::knob) == stack_.end()) continue;
    const double share = kMissedGains / static_cast<double>(pairs.size());
    if (auto done = leave_out(pair.knob, pair.later, share); !done) return done;
    if (runner_.interrupted()) return {};
  }
  return {};
}

// Trials without the knob alternate with trials of all that stands, which has one already.
Result<void> Tuner::leave_out(const std::string& knob, const std::string& later, double error) {
  const Stack rest = without(stack_, knob);
  const SequentialTest test = {.false_keep = error};
  std::optional<Estimate> having_it;
  std::optional<TrialResult> last;
  Decision decision = Decision::kContinue;
  for (int look = 1; look <= test.looks && decision == Decision::kContinue; ++look) {
    if (!enough_time(2)) break;
    for (const Stack& side : {rest, stack_}) {
      auto made = trial(side, side == rest ? "without " + knob : "with " + knob + " again", {});
      if (!made) return std::unexpected(made.error());
      if (runner_.interrupted()) return {};
      std::string reason;
      if (!arms_.add(side, *made, reason))
        return {};  // without it nothing can be measured: it stays
      if (side == rest) last = std::move(*made);
    }
    having_it = arms_.compare(rest, stack_, static_cast<std::size_t>(look) + 1);
    if (!having_it) return {};
    const Estimate left_out = mirrored(*having_it);
    decision = judge(left_out, look, test).decision;
    if (chance_to_keep(left_out, look, test) < kHopelessChance) break;
  }
  if (decision == Decision::kKeep) take_out(knob, later, *having_it, std::move(*last));
  return {};
}

// What was measured on top of it holds no more: such gains are not handed on.
void Tuner::take_out(const std::string& knob, const std::string& later, const Estimate& having_it,
                     TrialResult without_it) {
  const auto entry = std::ranges::find(out_.plan.entries, knob,
                                       [](const run::PlanEntry& one) { return one.setting.knob; });
  run::TuneTrial row;
  row.knob = knob;
  row.speedup = speedup_of(having_it);
  row.samples_per_s = arms_.samples_per_s(stack_);
  row.reason = "ablated: gains less than 1 % beside " + later;
  const Stack rest = without(stack_, knob);
  row.runs = arms_.runs(rest);
  if (entry != out_.plan.entries.end()) {
    row.from = entry->from;
    row.to = entry->setting.value;
    for (auto after = out_.plan.entries.erase(entry); after != out_.plan.entries.end(); ++after) {
      after->predicted.reset();
      after->measured.reset();
    }
  }
  stack_ = rest;
  now_ = std::move(without_it);
  out_.trials.push_back(row);
  listener_.decided(out_.trials.back());
}

}  // namespace flatout::apply
