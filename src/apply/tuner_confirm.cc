// All that was kept, held against the program as it is, and what becomes of the plan then.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apply/tuner_loop.h"
#include "run/speedup_text.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr int kMostConfirmPairs = 4;  // where kConfirmPairs leave it open

}  // namespace

// Where others load the machine, one trial that ends badly may be their doing, and what was proved
// by many is not thrown away for it: the pair is made once more.
bool Tuner::failed_among_others(const std::vector<TrialResult>& pair, int& failures) {
  const auto failed =
      std::ranges::find_if(pair, [](const TrialResult& result) { return !result.failure.empty(); });
  if (failed == pair.end() || failures > 0 || arms_.quiet({}) || !enough_time(2)) return false;
  ++failures;
  out_.notes.push_back(
      "a trial of the final comparison failed beside others' work, and its pair "
      "was made again: " +
      failed->failure);
  return true;
}

// Runs of their own: those that chose the stack were lucky ones among others.
Result<void> Tuner::confirm() {
  if (stack_.empty() || runner_.interrupted()) return {};
  confirming_ = true;
  if (auto final = confirm_in_blocks()) {
    out_.final = std::move(final);
    return {};
  }
  if (runner_.interrupted()) return {};
  Arms fresh;
  fresh.learn_from(arms_);
  run::TuneFinal final;
  std::optional<Estimate> estimate;
  std::optional<TrialResult> last;
  int repeats = 0;
  int failures = 0;
  // As many as a comparison has on such a machine, where fewer leave it open.
  const int most_pairs = std::max(kMostConfirmPairs, most_looks());
  const auto goes_on = [&](int pair) {
    if (pair < kConfirmPairs) return true;
    if (!estimate || pair >= most_pairs) return false;
    const run::Speedup seen = speedup_of(*estimate);
    return leaves_open(seen) || (pair < kMostConfirmPairs && too_wide(seen));
  };
  for (int pair = 0; goes_on(pair); ++pair) {
    const auto left = left_ns();
    final_cut_short_ = pair > 0 && left && *left < confirming_pair_ns();
    if (final_cut_short_) break;
    // In turns, as the first of two runs leaves caches and clocks behind for the second.
    std::vector<Stack> sides = {Stack{}, stack_};
    if (pair % 2 == 1) std::ranges::reverse(sides);
    std::vector<TrialResult> results;
    do {
      results.clear();
      for (const Stack& side : sides) {
        auto result = trial(side, "final", {}, 0, confirming_steps(side));
        if (!result) return std::unexpected(result.error());
        if (runner_.interrupted()) return {};
        results.push_back(std::move(*result));
      }
    } while (failed_among_others(results, failures) ||
             (results[0].failure.empty() && results[1].failure.empty() &&
              made_again(results[0].outside, results[1].outside, repeats)));
    for (std::size_t side = 0; side < sides.size(); ++side) {
      std::string reason;
      if (fresh.add(sides[side], results[side], reason)) {
        if (!sides[side].empty()) last = std::move(results[side]);
        continue;
      }
      if (sides[side].empty()) {
        unmeasured_ = reason;
        continue;
      }
      unmeasured_.clear();  // a plan that fails is not handed on, whatever else fails
      out_.notes.push_back("the final comparison measured nothing: " + reason);
      out_.final = final;
      return {};
    }
    if (!unmeasured_.empty()) break;
    estimate = fresh.compare({}, stack_, static_cast<std::size_t>(most_pairs));
  }
  if (changes_training(stack_) && !training_seeds_.stack.empty()) {
    auto tried = try_training_seeds({}, training_seeds_.steps);
    if (!tried) return tried;
    if (runner_.interrupted()) return {};
  }
  final.samples_per_s = fresh.samples_per_s(stack_);
  if (estimate) final.speedup = speedup_of(*estimate);
  if (final.speedup) {
    final.too_noisy = !final_cut_short_ && leaves_open(*final.speedup);
  }
  if (last && last->report.steps) final.device_busy = last->report.steps->device_busy;
  judge_final(fresh, final);
  const bool faster = final.speedup && final.speedup->lo > 1;
  final.confirmed = faster && final.loss_gate != run::LossGate::kFailed;
  final.runs = fresh.runs({});
  for (const auto& id : fresh.runs(stack_)) final.runs.push_back(id);
  out_.final = std::move(final);
  return {};
}

// It may be what the comparisons promise, and may be nothing.
bool Tuner::leaves_open(const run::Speedup& final) const {
  const auto gain = gain_of_kept();
  return final.lo <= 1 && (gain ? final.hi >= gain->lo : too_wide(final));
}

// The gains of the comparisons that kept the settings, each on top of those before it; the
// product of their ends is wider than need be. Absent where one is not known.
std::optional<run::Speedup> Tuner::gain_of_kept() const {
  run::Speedup all{1, 1, 1};
  for (const auto& entry : out_.plan.entries) {
    if (!entry.measured) return std::nullopt;
    all.ratio *= entry.measured->ratio;
    all.lo *= entry.measured->lo;
    all.hi *= entry.measured->hi;
  }
  return all;
}

// `gain`: of the comparisons that kept the settings.
void Tuner::note_open_final(const run::Speedup& gain) {
  std::string what = "the budget ended before the final comparison could tell";
  std::string next = "tune with a larger --budget to confirm it";
  if (out_.final->too_noisy) {
    what = "the machine was too noisy for the final comparison to tell";
    next = "tune again when it is quiet to confirm it";
  } else if (!unmeasured_.empty()) {
    what = "the program as it is could not be measured in the final comparison: " + unmeasured_;
    next = "tune again to confirm it";
  }
  out_.notes.push_back(what + ": the plan rests on the comparisons that kept its settings, " +
                       run::speedup_text(gain, 2) + "; " + next);
}

// A plan that the last comparison speaks against is not handed on. Where noise, or too little time,
// kept it from seeing anything, each setting's own comparison stands: its error rate holds without
// the last one, which guards against luck among many.
void Tuner::judge_plan() {
  if (!out_.final || out_.final->confirmed) return;
  const run::TuneFinal& final = *out_.final;
  std::string why = "the final comparison does not show a gain over the baseline";
  if (final.loss_gate == run::LossGate::kFailed) {
    out_.notes.push_back("all that was kept together fails the loss gate: nothing is kept; " +
                         final.loss_reason);
    out_.plan.entries.clear();
    return;
  }
  if (final.too_noisy || final_cut_short_ || !unmeasured_.empty()) {
    if (final.too_noisy) why = "the machine is too noisy to tell what all of it gains";
    const auto gain = gain_of_kept();
    const bool stands =
        gain && gain->lo > 1 &&
        (final.speedup ? final.speedup->hi >= gain->lo : final_cut_short_ || !unmeasured_.empty());
    if (stands) {
      out_.final->out_of_time = !final.too_noisy;
      note_open_final(*gain);
      return;
    }
  }
  out_.notes.push_back(why + ": nothing is kept");
  out_.plan.entries.clear();
}

}  // namespace flatout::apply
