// One change against what stands: by its rate, then by its loss.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "apply/tuner_loop.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr std::string_view kLossesMissed =
    "no losses were seen, so nothing shows whether the training is the same: log them with "
    "flatout_log(\"loss\", ...), or name them with --loss log:NAME or --loss 'loss ([0-9.]+)'";

constexpr double kHopelessRatio = 0.97;  // of one trial to one other
constexpr std::string_view kTooNoisy = "the machine is too noisy to tell";

// The program's own word, when it did not take the knob; null where it took it.
const run::KnobOutcome* refusal(const TrialResult& trial, std::string_view knob) {
  const auto found = std::ranges::find(trial.outcomes, knob, [](const run::KnobOutcome& outcome) {
    return std::string_view(outcome.asked.knob);
  });
  return found == trial.outcomes.end() || found->applied ? nullptr : &*found;
}

}  // namespace

std::string change_words(const run::TuneTrial& row, const Knob& knob) {
  return std::string(knob.short_name) + (row.from.empty() ? " " : " " + row.from + " -> ") + row.to;
}

std::string not_kept_reason(Decision decision, const run::TuneTrial& row) {
  if (outcome_of(decision) == Outcome::kDropped) return "gains less than 1 %";
  if (row.speedup && row.speedup->lo > 1) return "not proved: more trials would be needed";
  if (row.speedup && too_wide(*row.speedup)) return std::string(kTooNoisy);
  return row.speedup && row.speedup->ratio > 1 ? "below the noise" : "no gain shown";
}

bool Tuner::is_measurement_of(const Stack& candidate, const TrialResult& tried, Verdict& verdict) {
  run::TuneTrial& row = verdict.row;
  if (const auto* refused = refusal(tried, row.knob)) {
    row.reason =
        "not applied: " + (refused->reason.empty() ? "for a reason not known" : refused->reason);
    if (refused->most) too_much_.failed(row.knob, std::to_string(*refused->most + 1), row.from);
    return false;
  }
  std::string reason;
  if (arms_.add(candidate, tried, reason)) return true;
  row.reason = "failed: " + reason;
  verdict.failed = true;
  if (tried.failure.empty()) verdict.few_steps = tried.steps.size();
  return false;
}

Result<bool> Tuner::worth_a_second_look(const Stack& candidate, const std::string& what,
                                        run::TuneTrial& row) {
  const auto present = arms_.samples_per_s(stack_);
  const auto with_it = arms_.samples_per_s(candidate);
  if (!present || !with_it) return false;
  // One trial that others slowed is no reason to give up.
  const bool calm = arms_.quiet(stack_) && arms_.quiet(candidate);
  if (calm && *with_it < kHopelessRatio * *present) return false;
  if (!enough_time(1)) {
    row.reason = kBudgetEnded;
    out_.budget_ended = out_.budget_ended || !runner_.interrupted();
    return false;
  }
  auto again = trial(stack_, "baseline, beside " + what, {});
  if (!again) return std::unexpected(again.error());
  if (runner_.interrupted()) return false;
  std::string reason;
  if (arms_.add(stack_, *again, reason)) return true;
  out_.notes.push_back("a trial of what was kept measured nothing: " + reason);
  return false;
}

// Trials of the candidate, alternating with more of what stands, until one look decides.
Result<Tuner::Verdict> Tuner::compare_with(const Proposed& proposed, double false_keep) {
  bool blocks_looked = false;
  if (auto decided = compare_in_blocks(proposed, false_keep, blocks_looked); !decided || *decided) {
    if (!decided) return std::unexpected(decided.error());
    return std::move(**decided);
  }
  if (!enough_time(1)) {
    Verdict verdict;
    verdict.row.knob = proposed.knob->id;
    verdict.row.from = proposed.candidate.from;
    verdict.row.to = proposed.candidate.value;
    verdict.row.predicted = proposed.candidate.predicted;
    verdict.row.reason = runner_.interrupted() ? "interrupted" : kBudgetEnded;
    verdict.looked = blocks_looked;
    out_.budget_ended = out_.budget_ended || !runner_.interrupted();
    return verdict;
  }
  if (auto measured = need_baseline_of_trials(); !measured) {
    return std::unexpected(measured.error());
  }
  // Both together have the comparison's error.
  if (blocks_looked) false_keep *= 1 - kShareOfBlocks;
  Verdict verdict;
  verdict.looked = blocks_looked;
  run::TuneTrial& row = verdict.row;
  const std::string knob(proposed.knob->id);
  row.knob = knob;
  row.from = proposed.candidate.from;
  row.to = proposed.candidate.value;
  row.predicted = proposed.candidate.predicted;
  const Stack candidate = with(stack_, {knob, row.to, proposed.knob->pattern});
  // Fixed before the first look, as each has its share of the error.
  const SequentialTest test = {.false_keep = false_keep, .looks = most_looks()};
  std::optional<Estimate> estimate;
  Decision decision = Decision::kContinue;
  // Once it is decided, more pairs only tell how large a gain is that could be anything.
  const auto goes_on = [&] {
    return decision == Decision::kContinue ||
           (decision == Decision::kKeep && estimate && too_wide(speedup_of(*estimate, test.looks)));
  };
  for (int look = 1; look <= test.looks && goes_on(); ++look) {
    // One trial of what stands knows nothing of its own noise.
    const bool waits = stack_.empty() && arms_.count(stack_) == 1;  // the second baseline
    const bool alone = look == 1 && (waits || arms_.count(stack_) >= 2);
    // In turns, as the first of two runs leaves caches and clocks behind for the second.
    const PairOrder order = alone           ? PairOrder::kCandidateAlone
                            : look % 2 == 0 ? PairOrder::kCandidateFirst
                                            : PairOrder::kPresentFirst;
    auto pair = run_pair(candidate, change_words(row, *proposed.knob), row.predicted, order);
    if (!pair) return std::unexpected(pair.error());
    if (!*pair) break;
    if (auto& present = (*pair)->present) {
      std::string reason;
      if (!arms_.add(stack_, *present, reason)) {
        out_.notes.push_back("a trial of what was kept measured nothing: " + reason);
        break;
      }
      now_.outside = present->outside;
    }
    TrialResult* const tried = &(*pair)->candidate;
    if (!is_measurement_of(candidate, *tried, verdict)) {
      row.runs = verdict.failed ? arms_.runs(candidate) : std::vector<std::string>{tried->run};
      return verdict;
    }
    verdict.best = std::move(*tried);
    if (waits && look == 1) {
      const auto worth = worth_a_second_look(candidate, change_words(row, *proposed.knob), row);
      if (!worth) return std::unexpected(worth.error());
      if (!*worth) break;
    }
    estimate = arms_.compare(stack_, candidate, static_cast<std::size_t>(look) + 1);
    if (!estimate) break;
    verdict.looked = true;
    if (decision == Decision::kContinue) decision = judge(*estimate, look, test).decision;
    if (decision == Decision::kContinue && chance_to_keep(*estimate, look, test) < kHopelessChance)
      break;
  }
  row.samples_per_s = arms_.samples_per_s(candidate);
  row.runs = arms_.runs(candidate);
  if (estimate) row.speedup = speedup_of(*estimate, test.looks);
  const Outcome outcome = outcome_of(decision);
  row.kept = outcome == Outcome::kKept;
  const std::string before = std::exchange(row.reason, "");
  const bool dropped = outcome == Outcome::kDropped;
  row.reason = row.kept                            ? "kept"
               : !dropped && runner_.interrupted() ? "interrupted"
               : !dropped && !before.empty()       ? before
                                                   : not_kept_reason(decision, row);
  if (row.kept) {
    if (auto held = hold_to_its_loss(*proposed.knob, candidate, row); !held) {
      return std::unexpected(held.error());
    }
  }
  if (row.kept) weigh_start_up(*proposed.knob, candidate, verdict.best->training_steps, row);
  return verdict;
}

// Only once, and only where a knob is kept that needs them: they cost time.
Result<void> Tuner::try_other_seeds() {
  while (1 + other_seeds_.size() < kSeeds && enough_time(1)) {
    auto seeded = trial(stack_, "what was kept, other seeds", {}, other_seeds_.size() + 1);
    if (!seeded) return std::unexpected(seeded.error());
    if (!seeded->failure.empty() || runner_.interrupted()) break;
    other_seeds_.push_back(std::move(seeded->evidence));
  }
  return {};
}

// Losses are held to those of two trials of what stands: do they differ, and by how much. Blocks
// need no second one.
Result<void> Tuner::try_present_again() {
  if (arms_.evidence(stack_).size() != 1 || !enough_time(1)) return {};
  auto again = trial(stack_, "what was kept, for its losses", {});
  if (!again) return std::unexpected(again.error());
  std::string unmeasured;  // the gate then says that there are too few
  if (!runner_.interrupted()) (void)arms_.add(stack_, *again, unmeasured);
  return {};
}

// A knob that may change draws changes nothing where fetching draws none. But a stream is
// dealt out to its workers batch by batch: of another number of them its samples come in
// another order, as its author meant it, where it divides them (the knob is refused elsewhere).
KnobChanges Tuner::effective(const Knob& knob) const {
  const bool deals_anew = stream_ && knob.counts == run::KnobCounts::kWorkers;
  const bool silent =
      knob.changes == KnobChanges::kDraws && !deals_anew && !fetch_draws_.value_or(true);
  return silent ? KnobChanges::kNothing : knob.changes;
}

Result<void> Tuner::hold_to_its_loss(const Knob& knob, const Stack& candidate, run::TuneTrial& row,
                                     const std::optional<GateOpinion>& of_runs) {
  if (auto judged = judge_its_loss(knob, candidate, row, of_runs); !judged) return judged;
  const bool open = !row.kept && row.loss_gate == run::LossGate::kInconclusive;
  if (open && !runner_.interrupted()) carry_unproved(knob, row);
  return {};
}

// The plan has it, marked. If the budget ended before the gate had all it needs, the row says how
// much longer that takes.
void Tuner::carry_unproved(const Knob& knob, run::TuneTrial& row) {
  row.unproved = true;
  row.reason = row.loss_gate == run::LossGate::kInconclusive
                   ? "faster for sure, the same training not yet proved: " + row.reason
                   : "faster for sure, not yet tried from the start: the budget ended";
  const bool no_trial = row.loss_gate != run::LossGate::kInconclusive;  // blocks alone show it
  const int open = no_trial ? 1 : std::max(1, trials_to_proof(effective(knob)));
  const int trials = left_ns() && !enough_time(1) ? open : 0;
  if (trials > 0) {
    row.proof_s = static_cast<double>(trials * trial_ns_) / 1e9;
    char text[64];
    std::snprintf(text, sizeof text, "; about %.0f s more would do", std::ceil(*row.proof_s));
    row.reason += text;
  }
  auto& carried = out_.plan.unproved;
  std::erase_if(carried,
                [&](const run::PlanEntry& entry) { return entry.setting.knob == row.knob; });
  carried.push_back(run::plan_entry(row, knob.pattern));
}

// Trials that the gate still misses, where more of them would decide.
int Tuner::trials_to_proof(KnobChanges changes) const {
  if (changes == KnobChanges::kDraws) {
    return static_cast<int>(kSeeds) - 1 - static_cast<int>(other_seeds_.size());
  }
  if (changes == KnobChanges::kTraining) {
    return static_cast<int>(kSeeds) - static_cast<int>(training_seeds_.evidence.size());
  }
  return arms_.evidence(stack_).size() == 1 ? 1 : 0;
}

Result<void> Tuner::judge_its_loss(const Knob& knob, const Stack& candidate, run::TuneTrial& row,
                                   const std::optional<GateOpinion>& of_runs) {
  const KnobChanges changes = effective(knob);
  if (changes == KnobChanges::kTraining) return hold_training_to_its_loss(candidate, row);
  const bool draws = changes == KnobChanges::kDraws;
  const auto seen = arms_.evidence(candidate);
  const bool same = std::ranges::any_of(arms_.evidence(stack_), [&](const LossEvidence& present) {
    return !seen.empty() && same_losses(present, seen.back());
  });
  if (same) {
    row.loss_gate = run::LossGate::kPassed;
    return {};
  }
  if (of_runs && !seen.empty()) {
    GateOpinion opinion = judge_beside_runs(changes, arms_.evidence(stack_), seen.back(), *of_runs);
    if (opinion.gate == run::LossGate::kInconclusive) {
      if (auto tried = try_present_again(); !tried) return tried;
      opinion = judge_beside_runs(changes, arms_.evidence(stack_), seen.back(), *of_runs);
    }
    take_opinion(knob, opinion, row);
    return {};
  }
  if (auto tried = draws ? try_other_seeds() : try_present_again(); !tried) return tried;
  const auto same_seed = arms_.evidence(draws ? gate_base_ : stack_);
  const auto of_candidate = arms_.evidence(candidate);
  if (of_candidate.empty()) return {};
  take_opinion(knob, judge_loss(changes, same_seed, other_seeds_, of_candidate.back()), row);
  return {};
}

void Tuner::take_opinion(const Knob& knob, const GateOpinion& opinion, run::TuneTrial& row) {
  if (knob.changes == KnobChanges::kAnything && opinion.gate == run::LossGate::kNotNeeded &&
      !losses_missed_) {
    losses_missed_ = true;
    out_.notes.emplace_back(kLossesMissed);
  }
  row.loss_gate = opinion.gate;
  row.kept = opinion.gate == run::LossGate::kPassed || opinion.gate == run::LossGate::kNotNeeded;
  if (!row.kept) row.reason = opinion.reason;
  const std::string alone = "gradient norms could not be compared: the loss gate of " +
                            std::string(knob.short_name) + " rests on the losses alone";
  if (opinion.without_norms && std::ranges::find(out_.notes, alone) == out_.notes.end()) {
    out_.notes.push_back(alone);
  }
}

// A different random stream makes losses differ step by step, so its rule holds where there is
// rounding as well.
KnobChanges Tuner::changes_of_stack() const {
  const auto severity = [](KnobChanges changes) {
    return changes == KnobChanges::kNothing    ? 0
           : changes == KnobChanges::kRounding ? 1
           : changes == KnobChanges::kTraining ? 3
                                               : 2;
  };
  KnobChanges changes = KnobChanges::kNothing;
  for (const auto& setting : stack_) {
    const Knob* knob = find_knob(setting.knob);
    if (knob != nullptr && severity(effective(*knob)) > severity(changes)) {
      changes = effective(*knob);
    }
  }
  return changes;
}

void Tuner::judge_final(const Arms& fresh, run::TuneFinal& final) const {
  const KnobChanges changes = changes_of_stack();
  // Where there was time for one pair only, the first baseline runs stand beside it.
  std::vector<LossEvidence> same_seed = fresh.evidence({});
  if (&fresh != &arms_) std::ranges::move(arms_.evidence({}), std::back_inserter(same_seed));
  std::span<const LossEvidence> other_seeds = other_seeds_;
  if (changes == KnobChanges::kTraining && !training_seeds_.evidence.empty()) {
    same_seed = {training_seeds_.evidence.front()};
    other_seeds = std::span(training_seeds_.evidence).subspan(1);
  }
  GateOpinion worst;
  const auto rank = [](run::LossGate gate) {
    return gate == run::LossGate::kFailed         ? 3
           : gate == run::LossGate::kInconclusive ? 2
           : gate == run::LossGate::kPassed       ? 1
                                                  : 0;
  };
  for (const LossEvidence& trial : fresh.evidence(stack_)) {
    GateOpinion opinion = judge_loss(changes, same_seed, other_seeds, trial);
    if (rank(opinion.gate) >= rank(worst.gate)) worst = std::move(opinion);
  }
  final.loss_gate = worst.gate;
  final.loss_reason = worst.reason;
}

}  // namespace flatout::apply
