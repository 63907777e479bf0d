// The next steps of a tune: the order of its comparisons, about how long each takes, and when the
// next one is no longer worth it.
#include <algorithm>
#include <cmath>
#include <string>

#include "apply/screen.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {
namespace {

constexpr int kLikelyTrials = 3;       // most comparisons by trials end after one or two pairs
constexpr int kLikelyPairs = 9;        // of blocks
constexpr int kLikelyBatchTrials = 8;  // sizes that are looked at, and three seeds

}  // namespace

base::DurationNs Tuner::likely_ns(const Proposed& proposed) const {
  const Knob& knob = *proposed.knob;
  const Candidate& candidate = proposed.candidate;
  const double trials = trial_cost(knob, candidate, steps_);
  const auto trial_ns = static_cast<double>(trial_ns_);
  if (!fits_blocks(knob)) {
    const int screening = likely_screen_trials(candidate.screen.size());
    return static_cast<base::DurationNs>((kLikelyTrials * trials + screening) * trial_ns);
  }
  const auto blocks_ns = static_cast<double>(kLikelyPairs * pair_of_blocks_ns());
  const KnobChanges changes = effective(knob);
  const bool gated = changes == KnobChanges::kRounding || changes == KnobChanges::kDraws;
  const base::DurationNs judging_ns = gated ? gate_ns(changes == KnobChanges::kDraws) : 0;
  return static_cast<base::DurationNs>(blocks_ns + trials * trial_ns) + judging_ns;
}

// Two blocks of a setting that no loader has to follow.
base::DurationNs Tuner::pair_of_blocks_ns() const {
  const BlockPace pace = {.workers = 0, .step_s = pace_of(now_, 0).step_s};
  const BlockSpec block = block_request({}, pace, {}, {});
  const double steps_ns = static_cast<double>(block.settle_steps + block.steps) * pace.step_s * 1e9;
  return 2 * std::max(block.least_ns, static_cast<base::DurationNs>(steps_ns));
}

base::DurationNs Tuner::least_blocks_ns() const {
  const auto pairs = static_cast<base::DurationNs>(kBlockLooks.front()) + 1;  // and the first block
  return pairs * pair_of_blocks_ns() + (blocks_.program ? 0 : trial_ns_);
}

bool Tuner::time_for_blocks() const {
  if (runner_.interrupted()) return false;
  const auto left = left_ns();
  return !left || *left >= least_blocks_ns() + (stack_.empty() ? 0 : confirming_ns());
}

bool Tuner::time_for_a_pair() const {
  const auto left = left_ns();
  return !left || *left >= pair_of_blocks_ns() + (stack_.empty() ? 0 : confirming_ns());
}

// Each knob once, by its first value: the next one is only tried on top of it.
TunePlan Tuner::plan() const {
  TunePlan out{.steps = steps_, .trial_ns = trial_ns_};
  const Situation situation{.report = now_.report, .predictor = now_.predictor.get()};
  Tried tried;
  std::vector<run::TuneTrial> skipped;
  std::vector<std::string> named;
  const auto left = left_ns();
  while (const auto proposed = next_proposal(situation, limits(), tried, skipped)) {
    const Knob& knob = *proposed->knob;
    tried.insert({std::string(knob.id), proposed->candidate.value});
    if (std::ranges::find(named, knob.id) != named.end()) continue;
    named.push_back(knob.id);
    run::TuneTrial row;
    row.from = proposed->candidate.from;
    row.to = proposed->candidate.value;
    const bool screened = !proposed->candidate.screen.empty();
    out.likely_ns += likely_ns(*proposed);
    out.likely_trials += fits_blocks(knob) ? 2 : kLikelyTrials;
    out.likely_trials += likely_screen_trials(proposed->candidate.screen.size());
    out.changes.push_back(
        {.what = screened ? std::string(knob.short_name) : change_words(row, knob),
         .predicted = proposed->candidate.predicted,
         .fits = !left || out.likely_ns + confirming_ns() <= *left});
  }
  if (may_use(batch_size(), limits()) && now_.batch_size) {
    out.likely_trials += kLikelyTrials + kLikelyBatchTrials;
    out.likely_ns += (kLikelyTrials + kLikelyBatchTrials) * trial_ns_;
    out.changes.push_back({.what = batch_size().short_name,
                           .predicted = {},
                           .fits = !left || out.likely_ns + confirming_ns() <= *left});
  }
  if (out.changes.empty()) return out;
  out.likely_ns += 2 * kConfirmPairs * trial_ns_;
  out.likely_trials += 2 * kConfirmPairs;
  return out;
}

// Nothing is known of the gain of a change that nobody predicts but what is supposed of it.
bool Tuner::worth_its_time(const Proposed& proposed) const {
  const bool asked = !options_.knobs.empty();
  if (asked || !options_.training_ns) return true;
  const Candidate& candidate = proposed.candidate;
  const double gain = candidate.predicted ? candidate.predicted->hi
                                          : std::max(candidate.supposed_gain, kUnknownGain);
  if (!(gain > 1)) return true;  // the spared: their own reasons ask for them
  const double saved_ns = static_cast<double>(*options_.training_ns) * (1 - 1 / gain);
  return saved_ns > static_cast<double>(likely_ns(proposed));
}

}  // namespace flatout::apply
