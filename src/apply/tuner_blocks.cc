// A change against what stands inside one process, in blocks of steps (statistics/paired_blocks.h).
//
// A process that runs is driven: most of what makes two processes differ (imports, allocator, page
// cache, clocks, neighbours) is the same on both sides of a pair, and no start-up is paid. What is
// not proved there is dropped. What is, gets one trial of its own, which shows that the setting
// works from the start, gives the losses that the gate is held to, and from which the program is
// diagnosed again.
#include <algorithm>
#include <string>
#include <utility>

#include "apply/tuner_loop.h"
#include "run/knob_table.h"

namespace flatout::apply {

using base::Result;

namespace {

// Iterators of blocks are built once, those of a training once an epoch: what that costs is left
// out here, and must not matter.
constexpr double kLeastEpochOfLoaderS = 60;
// An epoch that begins in a block spoils it.
constexpr double kLeastEpochS = 5;
// Once a look was had, blocks take no longer than a comparison by trials may.
constexpr int kMostTrialsWorth = 6;
constexpr int kMostStarts = 12;         // of a program that is driven, in a tune
constexpr double kVague = 1.5;          // between the ends of an interval that is worth more pairs
constexpr double kTooMuchSlower = 0.9;  // of a trial of what blocks showed to be faster

// Nobody knows what a variable of the environment has replaced.
bool can_be_put_back(const run::KnobSetting& setting) {
  return can_be_switched(setting) && run::knob_facts(setting.knob)->variables.names.empty();
}

template <typename Wanted>
Stack those(const Stack& stack, const Wanted& wanted) {
  Stack out;
  std::ranges::copy_if(stack, std::back_inserter(out), wanted);
  return out;
}

bool contains(const Stack& stack, const run::KnobSetting& setting) {
  return std::ranges::find(stack, setting) != stack.end();
}

// A program that keeps `fixed` for good can be switched to `stack`.
bool reaches(const Stack& fixed, const Stack& stack) {
  const auto there = [&](const auto& setting) { return contains(stack, setting); };
  const auto kept = [&](const auto& setting) {
    return can_be_switched(setting) || contains(fixed, setting);
  };
  return std::ranges::all_of(fixed, there) && std::ranges::all_of(stack, kept);
}

bool applied(const BlockResult& block, const std::string& knob) {
  const run::KnobOutcome* outcome = outcome_in(block, knob);
  return outcome != nullptr && outcome->applied;
}

}  // namespace

bool Tuner::fits_blocks(const Knob& knob) const {
  if (blocks_.given_up || knob.switched == run::KnobSwitched::kRestart || knob.between_epochs) {
    return false;
  }
  const TrialPace pace = pace_of(now_, 0);
  if (!(pace.step_s > 0)) return false;
  const double epoch_s = pace.epoch_steps * pace.step_s;  // 0 = it has no end that is known
  const double least =
      knob.switched == run::KnobSwitched::kLoader ? kLeastEpochOfLoaderS : kLeastEpochS;
  return epoch_s == 0 || epoch_s >= least;
}

// At least one knob that there may be fits.
bool Tuner::blocks_are_likely() const {
  return std::ranges::any_of(all_knobs(), [this](const Knob* knob) { return fits_blocks(*knob); });
}

void Tuner::no_more_blocks(const std::string& why) {
  blocks_.program.reset();
  blocks_.given_up = true;
  if (!why.empty()) out_.notes.push_back("settings were compared by runs of their own: " + why);
}

// A program that can be switched to `stack` and to all that is switched on beside it, started where
// none runs. Null where it cannot be.
DrivenProgram* Tuner::driven(const Stack& stack) {
  if (blocks_.program && reaches(blocks_.fixed, stack)) return blocks_.program.get();
  blocks_.program.reset();
  Stack fixed = those(stack, [](const auto& setting) { return !can_be_switched(setting); });
  if (++blocks_.starts > kMostStarts) {
    no_more_blocks("");
    return nullptr;
  }
  auto started = runner_.drive(fixed, trial_timeout_ns());
  if (!started) {
    no_more_blocks("");
    return nullptr;
  }
  blocks_.program = std::move(*started);
  blocks_.in_force.reset();
  blocks_.rested = false;
  blocks_.fixed = std::move(fixed);
  return blocks_.program.get();
}

// Nothing where it was no measurement: the next comparison starts a program anew, or none does.
std::optional<BlockResult> Tuner::measured_block(const Stack& stack, const BlockNeeds& needs,
                                                 bool first) {
  const BlockPace pace = {
      .workers = workers_under(stack, now_.workers),
      .ahead = now_.report.loader ? now_.report.loader->prefetch_factor.value_or(2) : 2,
      .step_s = pace_of(now_, 0).step_s};
  const BlockTurn turn = {.first = first,
                          .stands = blocks_.in_force == stack,
                          .rested = std::exchange(blocks_.rested, false)};
  BlockSpec spec = block_request(stack, pace, needs, turn);
  if (first) spec.timeout_ns = std::max(spec.timeout_ns, trial_timeout_ns());  // workers start
  if (needs.compiles) spec.timeout_ns = std::max(spec.timeout_ns, kCompilePatienceNs);
  BlockResult result = blocks_.program->block(spec);
  blocks_.in_force = stack;
  switch (result.outcome) {
    case BlockOutcome::kMeasured:
      return result;
    case BlockOutcome::kNotSwitched:
    case BlockOutcome::kDisturbed:
      no_more_blocks(result.why);
      break;
    case BlockOutcome::kProgramEnded:
    case BlockOutcome::kTimeout:
      blocks_.program.reset();  // a trial of its own shows why, and says it
      break;
    case BlockOutcome::kInterrupted:
      break;
  }
  return std::nullopt;
}

// The rate of a setting that is `ratio` times as fast as `stack`, on the scale of the baseline:
// rates of trials and of blocks differ by what a start costs, and a reader multiplies.
std::optional<double> Tuner::rate_times(const Stack& stack, double ratio) const {
  const auto& standing = stack.empty() ? out_.baseline.samples_per_s : standing_rate_;
  return standing ? std::optional(*standing * ratio) : std::nullopt;
}

Decision Tuner::compare_blocks(const Stack& present, const Stack& candidate,
                               const BlockNeeds& needs, PairedBlocks& pairs, std::string& reason) {
  blocks_.present_step_s.clear();
  Decision decision = Decision::kContinue;
  const base::TimeNs since_ns = clock_.monotonic();
  // Once it is decided, more pairs only show how large a gain is that could be much.
  const auto goes_on = [&] {
    if (decision == Decision::kDrop || pairs.pairs() >= kBlockLooks.back()) return false;
    if (decision == Decision::kContinue) {
      const bool long_since = clock_.monotonic() - since_ns > kMostTrialsWorth * trial_ns_;
      return pairs.worth_more() && (!long_since || pairs.pairs() < kBlockLooks.front());
    }
    const auto estimate = pairs.estimate();
    if (!estimate) return false;
    const auto seen = speedup_of(*estimate, static_cast<int>(kBlockLooks.size()));
    // The candidate's own trial comes before a narrower interval.
    const bool spare = confirming_ || (enough_time(1) && time_for_a_pair());
    if (!spare) return false;
    const bool vague = seen.lo <= 1 || seen.hi > kVague * seen.lo;
    return too_wide(seen) || (vague && clock_.monotonic() - since_ns < kConfirmingBlocksNs);
  };
  while (goes_on()) {
    // The last comparison has the time that was kept for it.
    const bool time_left = confirming_ ? left_ns().value_or(1) > 0 : time_for_a_pair();
    if (!time_left) {
      reason = kBudgetEnded;
      out_.budget_ended = out_.budget_ended || !confirming_;
      break;
    }
    const bool before = candidate_first(blocks_.random);
    const auto first = measured_block(before ? candidate : present, needs, false);
    if (!first) return Decision::kContinue;
    const auto second = measured_block(before ? present : candidate, needs, false);
    if (!second) return Decision::kContinue;
    const double present_step_s = step_s_of(before ? *second : *first);
    pairs.add(present_step_s, step_s_of(before ? *first : *second));
    blocks_.present_step_s.push_back(present_step_s);
    if (decision == Decision::kContinue) decision = pairs.decide();
  }
  return decision;
}

// A trial from the start, whose program goes on to be driven: what it cannot put back, it keeps.
Result<TrialResult> Tuner::look_under(const Stack& stack, const std::string& what,
                                      const std::optional<run::Speedup>& predicted) {
  TrialSpec spec;
  spec.knobs = stack;
  spec.steps = enough_steps(stack);
  spec.timeout_ns = trial_timeout_ns(stack, spec.steps);
  if (compiles(stack)) spec.timeout_ns = std::max(spec.timeout_ns, kCompilePatienceNs);
  hurry(spec);
  blocks_.program.reset();  // nothing runs beside a trial
  listener_.trial_begins(what, predicted, left_ns());
  auto look = runner_.look(spec, 0);
  if (!look) return std::unexpected(look.error());
  if (look->trial.failure.empty()) expect_as_long_as(look->trial.wall_ns);
  blocks_.program = std::move(look->program);
  blocks_.in_force = stack;
  blocks_.rested = true;
  blocks_.fixed = those(stack, [](const auto& setting) { return !can_be_put_back(setting); });
  return std::move(look->trial);
}

// True where the candidate's own trial bears it out; false with row.reason where it failed, and
// without one where it contradicts the blocks.
Result<bool> Tuner::try_what_blocks_kept(const Stack& candidate, const std::string& what,
                                         Verdict& verdict) {
  run::TuneTrial& row = verdict.row;
  auto tried = look_under(candidate, what, row.predicted);
  if (!tried) return std::unexpected(tried.error());
  row.runs.push_back(tried->run);
  if (runner_.interrupted()) {
    row.reason = "interrupted";
    return false;
  }
  if (!is_measurement_of(candidate, *tried, verdict)) return false;
  const auto present = arms_.samples_per_s(stack_);
  const auto with_it = arms_.samples_per_s(candidate);
  const bool calm = arms_.quiet(stack_) && arms_.quiet(candidate);
  if (present && with_it && calm && *with_it < kTooMuchSlower * *present) return false;
  verdict.best = std::move(*tried);
  return true;
}

// Nothing where it takes trials of its own.
Result<std::optional<Tuner::Verdict>> Tuner::compare_in_blocks(const Proposed& proposed,
                                                               double false_keep, bool& looked) {
  const Knob& knob = *proposed.knob;
  if (!fits_blocks(knob)) return std::nullopt;
  Verdict verdict;
  run::TuneTrial& row = verdict.row;
  row.knob = knob.id;
  row.from = proposed.candidate.from;
  row.to = proposed.candidate.value;
  row.predicted = proposed.candidate.predicted;
  if (!time_for_blocks()) {
    row.reason = kBudgetEnded;
    out_.budget_ended = true;
    return verdict;
  }
  const Stack candidate = with(stack_, {row.knob, row.to, knob.pattern});
  const std::string what = change_words(row, knob);
  listener_.trial_begins(what + ", in blocks", row.predicted, left_ns());
  if (driven(stack_) == nullptr) return std::nullopt;
  const auto interrupted = [&]() -> std::optional<Verdict> {
    if (!runner_.interrupted()) return std::nullopt;
    row.reason = "interrupted";
    return std::move(verdict);
  };
  // The first time under a setting pays what is paid once, and shows whether it is taken at all.
  const BlockNeeds needs = {.loader = knob.switched == run::KnobSwitched::kLoader,
                            .compiles = knob.compiles};
  const auto first = measured_block(candidate, needs, true);
  if (!first) return interrupted();
  if (!applied(*first, row.knob)) return std::nullopt;  // its own trial has the reason
  PairedBlocks pairs(false_keep * kShareOfBlocks);
  const Decision decision = compare_blocks(stack_, candidate, needs, pairs, row.reason);
  if (runner_.interrupted() || !blocks_.program) return interrupted();
  row.block_pairs = static_cast<int>(pairs.pairs());
  note_warmer_baseline();
  if (const auto estimate = pairs.estimate()) {
    row.speedup = speedup_of(*estimate, static_cast<int>(kBlockLooks.size()));
    row.samples_per_s = rate_times(stack_, row.speedup->ratio);
  }
  looked = verdict.looked = row.speedup.has_value();
  row.runs = {blocks_.program->run()};
  row.kept = outcome_of(decision) == Outcome::kKept;
  if (!row.kept) {
    if (row.reason.empty()) row.reason = not_kept_reason(decision, row);
    return verdict;
  }
  const KnobChanges changes = effective(knob);
  const auto gate = gate_in_blocks(stack_, candidate, changes);
  if (runner_.interrupted()) return interrupted();
  if (gate && gate->gate == run::LossGate::kFailed) {
    row.kept = false;
    row.loss_gate = gate->gate;
    row.reason = gate->reason;
    return verdict;
  }
  if (!enough_time(1)) {
    row.kept = false;
    const bool judged = changes == KnobChanges::kNothing || gate;
    row.loss_gate =
        gate ? gate->gate : (judged ? run::LossGate::kNotNeeded : run::LossGate::kInconclusive);
    row.reason = kBudgetEnded;
    carry_unproved(knob, row);
    return verdict;
  }
  const auto bears_out = try_what_blocks_kept(candidate, what, verdict);
  if (!bears_out) return std::unexpected(bears_out.error());
  if (!*bears_out) {
    row.kept = false;
    if (row.reason.empty()) return std::nullopt;
    return verdict;
  }
  row.reason = "kept";
  if (auto held = hold_to_its_loss(knob, candidate, row, gate); !held) {
    return std::unexpected(held.error());
  }
  if (row.kept) weigh_start_up(knob, candidate, verdict.best->training_steps, row);
  return verdict;
}

// All that was kept was compared so, and its trial, which had all of it from the start, was faster
// than the program as it is.
bool Tuner::can_confirm_in_blocks() const {
  if (stack_.empty() || stack_ != switched_of(stack_)) return false;
  for (const auto& entry : out_.plan.entries) {
    const auto row = std::ranges::find_if(out_.trials, [&](const run::TuneTrial& trial) {
      return trial.kept && trial.knob == entry.setting.knob && trial.to == entry.setting.value;
    });
    if (row == out_.trials.end() || row->block_pairs == 0) return false;
  }
  for (const auto& setting : stack_) {
    const Knob* knob = find_knob(setting.knob);
    if (knob == nullptr || !fits_blocks(*knob)) return false;
  }
  const auto as_it_is = arms_.samples_per_s({});
  const auto kept = arms_.samples_per_s(stack_);
  return as_it_is && kept && *kept > *as_it_is;
}

// Blocks of their own: those that chose the settings were lucky ones among others. Nothing where
// trials have to do it.
std::optional<run::TuneFinal> Tuner::confirm_in_blocks() {
  if (!can_confirm_in_blocks()) return std::nullopt;
  listener_.trial_begins("final, in blocks", {}, left_ns());
  if (driven({}) == nullptr) return std::nullopt;
  BlockNeeds needs;
  for (const auto& setting : stack_) {
    const Knob* knob = find_knob(setting.knob);
    needs.loader |= knob->switched == run::KnobSwitched::kLoader;
    needs.compiles |= knob->compiles;
  }
  if (!measured_block(stack_, needs, true)) return std::nullopt;
  PairedBlocks pairs(kFalseKeeps);
  std::string reason;
  const Decision decision = compare_blocks({}, stack_, needs, pairs, reason);
  if (!blocks_.program || runner_.interrupted()) return std::nullopt;
  final_cut_short_ = decision != Decision::kKeep && left_ns().value_or(1) <= 0;
  run::TuneFinal final;
  final.samples_per_s = arms_.samples_per_s(stack_);
  if (const auto estimate = pairs.estimate()) {
    final.speedup = speedup_of(*estimate, static_cast<int>(kBlockLooks.size()));
    final.samples_per_s = rate_times({}, final.speedup->ratio);
  }
  // The interval is two-sided, and so says less than the decision: trials have the last word then.
  const bool shown = decision == Decision::kKeep && final.speedup && final.speedup->lo > 1;
  if (!shown && !final_cut_short_) return std::nullopt;
  final.block_pairs = static_cast<int>(pairs.pairs());
  if (now_.report.steps) final.device_busy = now_.report.steps->device_busy;
  final.runs = arms_.runs(stack_);
  final.runs.push_back(blocks_.program->run());
  const auto gate = gate_in_blocks({}, stack_, changes_of_stack());
  judge_final(arms_, final);
  if (gate && final.loss_gate != run::LossGate::kFailed) {
    final.loss_gate = gate->gate;
    final.loss_reason = gate->reason;
  }
  final.confirmed = !final_cut_short_ && final.speedup && final.speedup->lo > 1 &&
                    final.loss_gate != run::LossGate::kFailed;
  return final;
}

}  // namespace flatout::apply
