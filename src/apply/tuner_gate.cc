// The loss gate inside the process that is driven: what two settings make of the same state of the
// training, in a few steps.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apply/gate_of_runs.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {
namespace {

constexpr int kRunsWithSameBatches = 4;
constexpr int kMostAttempts = 3;  // an epoch that begins disturbs a run
constexpr base::DurationNs kRunPatience = 60 * base::kSecond;

}  // namespace

// Nothing where the program could not be asked, or an epoch began in it each time.
std::optional<TrainingSeen> Tuner::run_from_state(const Stack& stack, TrainingRun run) {
  BlockSpec spec;
  spec.knobs = switched_of(stack);
  spec.steps = run == TrainingRun::kFreshBatches ? kFreshBatchSteps : kSameBatchSteps;
  spec.training = run;
  const double step_s = pace_of(now_, 0).step_s;
  spec.timeout_ns =
      kRunPatience + static_cast<base::DurationNs>(10e9 * step_s * static_cast<double>(spec.steps));
  BlockResult result = blocks_.program->block(spec);
  blocks_.in_force = stack;
  blocks_.rested = true;  // what the runs drew and left queued is no measure
  if (result.outcome == BlockOutcome::kMeasured) return std::move(result.training);
  gone_ = result.outcome == BlockOutcome::kProgramEnded || result.outcome == BlockOutcome::kTimeout;
  return std::nullopt;
}

std::optional<GateOpinion> Tuner::with_same_batches(const Stack& present, const Stack& candidate) {
  // The first run only fetches: what the program held when it began does not come again.
  if (!run_from_state(present, TrainingRun::kSameBatches)) return std::nullopt;
  const auto reference = run_from_state(present, TrainingRun::kSameBatches);
  if (!reference) return std::nullopt;
  const auto with_it = run_from_state(candidate, TrainingRun::kSameBatches);
  if (!with_it) return std::nullopt;
  const auto rerun = run_from_state(present, TrainingRun::kSameBatches);
  if (!rerun) return std::nullopt;
  return judge_same_batches(*reference, *rerun, *with_it);
}

std::optional<GateOpinion> Tuner::with_fresh_batches(const Stack& present, const Stack& candidate) {
  std::vector<TrainingSeen> without_it;
  std::vector<TrainingSeen> with_it;
  for (int pair = 0; pair < kGatePairs; ++pair) {
    for (const bool first : {true, false}) {
      const bool of_candidate = first == (pair % 2 == 1);
      auto seen = run_from_state(of_candidate ? candidate : present, TrainingRun::kFreshBatches);
      if (!seen) return std::nullopt;
      (of_candidate ? with_it : without_it).push_back(std::move(*seen));
    }
  }
  return judge_fresh_batches(without_it, with_it);
}

base::DurationNs Tuner::gate_ns(bool draws) const {
  const auto runs = static_cast<std::uint64_t>(draws ? 2 * kGatePairs : kRunsWithSameBatches);
  // And a block, before which the state is put back.
  const auto steps = static_cast<double>((runs + 1) * (draws ? kFreshBatchSteps : kSameBatchSteps));
  return static_cast<base::DurationNs>(steps * pace_of(now_, 0).step_s * 1e9);
}

// Nothing where trials have to show it.
std::optional<GateOpinion> Tuner::gate_in_blocks(const Stack& present, const Stack& candidate,
                                                 KnobChanges changes) {
  const bool draws = changes == KnobChanges::kDraws;
  if (!draws && changes != KnobChanges::kRounding) return std::nullopt;
  if (left_ns().value_or(gate_ns(draws)) < gate_ns(draws)) return std::nullopt;
  listener_.trial_begins("losses with and without it, from one state", {}, left_ns());
  std::optional<GateOpinion> opinion;
  for (int attempt = 0; attempt < kMostAttempts && !opinion && blocks_.program; ++attempt) {
    opinion =
        draws ? with_fresh_batches(present, candidate) : with_same_batches(present, candidate);
    if (runner_.interrupted()) return std::nullopt;
    if (std::exchange(gone_, false)) {
      blocks_.program.reset();
      return std::nullopt;
    }
    // The state is put back.
    if (!measured_block(present, {}, true)) return std::nullopt;
  }
  if (opinion && opinion->gate == run::LossGate::kInconclusive) return std::nullopt;
  return opinion;
}

}  // namespace flatout::apply
