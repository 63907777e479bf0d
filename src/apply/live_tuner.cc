#include "apply/live_tuner.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "apply/block_request.h"
#include "apply/proposals.h"
#include "apply/statistics/paired_blocks.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {
namespace {

constexpr const char* kAnotherTraining = "it may change what is learnt: flatout tune tries it";
constexpr const char* kNotWhileItRuns = "it cannot be switched while the program runs";
constexpr const char* kShortEpochs = "epochs are shorter than 2 s: flatout tune tries it";
constexpr double kLeastEpochSeconds = 2;  // one that begins in a block spoils it
constexpr const char* kDraws =
    "fetching a batch may draw random numbers, which workers draw otherwise: flatout tune tries it";

// `why`: the program's reason where it was not.
bool was_applied(const BlockResult& block, const std::string& knob, std::string& why) {
  const run::KnobOutcome* outcome = outcome_in(block, knob);
  why = outcome != nullptr ? outcome->reason : "";
  return outcome != nullptr && outcome->applied;
}

class LiveTuner {
 public:
  LiveTuner(DrivenProgram& program, const TrialResult& so_far, const LiveTuneOptions& options,
            const base::Clock& clock, const std::function<void(const run::TuneTrial&)>& decided)
      : program_(program),
        so_far_(so_far),
        options_(options),
        clock_(clock),
        decided_(decided),
        began_ns_(clock.monotonic()),
        usual_step_s_(pace_of(so_far, 0).step_s),
        epoch_s_(pace_of(so_far, 0).epoch_steps * usual_step_s_),
        stack_(options.present),
        in_force_(options.present) {}

  LiveTuned run();

 private:
  std::string why_not(const Knob& knob) const;
  std::optional<Proposed> next();
  void leave_out(const Knob& knob, const std::string& why);
  bool time_left() const { return clock_.monotonic() - began_ns_ < options_.budget_ns; }
  std::optional<BlockResult> block(const Stack& stack, const BlockNeeds& needs, bool first);
  void compare(const Proposed& proposed);
  Decision pairs_of(const Stack& candidate, const std::string& knob, const BlockNeeds& needs,
                    PairedBlocks& pairs);
  bool pays_each_epoch(const BlockResult& first, double settled_s, run::TuneTrial& row) const;
  void keep(const Proposed& proposed, const run::TuneTrial& row);
  void leave_standing();

  DrivenProgram& program_;
  const TrialResult& so_far_;
  const LiveTuneOptions& options_;
  const base::Clock& clock_;
  const std::function<void(const run::TuneTrial&)>& decided_;
  const base::TimeNs began_ns_;
  const double usual_step_s_;  // before the search
  const double epoch_s_;       // 0 = it has no end that is known
  LiveTuned out_;
  Stack stack_;
  Stack in_force_;
  Tried tried_;
  std::set<std::string> done_;  // knobs that were kept or left out
  KeepBudget budget_{kMostComparisons};
  std::uint64_t settled_steps_ = 0;  // of the latest block
  double spent_s_ = 0;               // by all steps of the search
  double steps_ = 0;
  std::uint32_t random_ = 1;
};

// "" where it may be tried here.
std::string LiveTuner::why_not(const Knob& knob) const {
  if (knob.switched == run::KnobSwitched::kRestart || knob.between_epochs) return kNotWhileItRuns;
  const bool whole = knob.changes == KnobChanges::kNothing || knob.changes == KnobChanges::kDraws;
  if (!whole) return kAnotherTraining;
  if (epoch_s_ > 0 && epoch_s_ < kLeastEpochSeconds) return kShortEpochs;
  if (knob.changes == KnobChanges::kDraws && so_far_.evidence.fetch_draws.value_or(true)) {
    return kDraws;
  }
  return "";
}

void LiveTuner::leave_out(const Knob& knob, const std::string& why) {
  if (!done_.insert(knob.id).second) return;
  run::TuneTrial row;
  row.knob = knob.id;
  row.reason = why;
  out_.skipped.push_back(std::move(row));
}

// The best that may be tried; nothing where none is left.
std::optional<Proposed> LiveTuner::next() {
  const Situation situation{.report = so_far_.report, .predictor = so_far_.predictor.get()};
  const ProposalLimits limits{.knobs = {}, .most_risk = run::Risk::kSameMaths, .steps = 0};
  std::vector<run::TuneTrial> nobody;
  while (auto proposed = next_proposal(situation, limits, tried_, nobody)) {
    tried_.insert({proposed->knob->id, proposed->candidate.value});
    if (done_.contains(proposed->knob->id) || proposed->doubtful) continue;
    const std::string why = why_not(*proposed->knob);
    if (why.empty() && proposed->candidate.screen.empty()) return proposed;
    leave_out(*proposed->knob, why.empty() ? kNotWhileItRuns : why);
  }
  return std::nullopt;
}

// Nothing where it was no measurement; `cut_by` then says why the search is over.
std::optional<BlockResult> LiveTuner::block(const Stack& stack, const BlockNeeds& needs,
                                            bool first) {
  const BlockPace pace = {
      .workers = std::max(workers_under(stack, so_far_.workers), workers_under(stack_, 0)),
      .ahead = so_far_.report.loader ? so_far_.report.loader->prefetch_factor.value_or(2) : 2,
      .step_s = usual_step_s_};
  const BlockSpec spec =
      block_request(stack, pace, needs, {.first = first, .stands = in_force_ == stack});
  BlockResult result = program_.block(spec);
  in_force_ = stack;
  settled_steps_ = spec.settle_steps;
  spent_s_ += static_cast<double>(result.switch_ns + result.settle_ns + result.block_ns) / 1e9;
  steps_ += static_cast<double>(spec.settle_steps + result.steps);
  if (result.outcome == BlockOutcome::kMeasured) return result;
  out_.cut_by = !result.why.empty() ? result.why
                : result.outcome == BlockOutcome::kDisturbed
                    ? "epochs or evaluations begin again and again"
                    : "the program was interrupted";
  return std::nullopt;
}

Decision LiveTuner::pairs_of(const Stack& candidate, const std::string& knob,
                             const BlockNeeds& needs, PairedBlocks& pairs) {
  constexpr int kMostOmitted = 4;
  int omitted = 0;
  std::string why;
  Decision decision = Decision::kContinue;
  while (decision == Decision::kContinue && pairs.pairs() < kBlockLooks.back() &&
         pairs.worth_more() && time_left()) {
    const bool before = candidate_first(random_);
    const auto first = block(before ? candidate : stack_, needs, false);
    const auto second = first ? block(before ? stack_ : candidate, needs, false) : std::nullopt;
    if (!second) return Decision::kContinue;
    // At an epoch's first step the present iterator stays.
    if (!was_applied(before ? *first : *second, knob, why)) {
      if (++omitted > kMostOmitted) return Decision::kContinue;
      continue;
    }
    pairs.add(step_s_of(before ? *second : *first), step_s_of(before ? *first : *second));
    decision = pairs.decide();
  }
  return decision;
}

void LiveTuner::compare(const Proposed& proposed) {
  const Knob& knob = *proposed.knob;
  run::TuneTrial row;
  row.knob = knob.id;
  row.from = proposed.candidate.from;
  row.to = proposed.candidate.value;
  row.predicted = proposed.candidate.predicted;
  const auto false_keep = budget_.next();
  if (!false_keep) {
    out_.cut_by = "all comparisons are used up";
    return;
  }
  const Stack candidate = with(stack_, {row.knob, row.to, knob.pattern});
  const BlockNeeds needs = {.loader = knob.switched == run::KnobSwitched::kLoader};
  auto first = block(candidate, needs, true);
  std::string refused;
  // Once more: an epoch may have begun just then.
  if (first && !was_applied(*first, row.knob, refused)) first = block(candidate, needs, true);
  if (!first) return;
  const double settled_s = static_cast<double>(settled_steps_) * usual_step_s_;
  if (!was_applied(*first, row.knob, refused)) {
    budget_.give_back();
    row.reason = "not applied: " + (refused.empty() ? "for a reason not known" : refused);
    done_.insert(knob.id);
  } else {
    PairedBlocks pairs(*false_keep);
    const Decision decision = pairs_of(candidate, row.knob, needs, pairs);
    row.block_pairs = static_cast<int>(pairs.pairs());
    if (const auto estimate = pairs.estimate()) {
      row.speedup = speedup_of(*estimate, static_cast<int>(kBlockLooks.size()));
    }
    row.kept = outcome_of(decision) == Outcome::kKept;
    row.reason = row.kept               ? "kept"
                 : !out_.cut_by.empty() ? out_.cut_by
                                        : not_kept_reason(decision, row);
    if (row.kept && needs.loader) row.kept = pays_each_epoch(*first, settled_s, row);
  }
  row.runs = {program_.run()};
  if (row.kept) keep(proposed, row);
  decided_(row);
  out_.trials.push_back(std::move(row));
}

// Blocks leave out what an iterator costs that is built at the begin of each epoch. The first block
// under the setting met that: it is the time beyond its steps.
bool LiveTuner::pays_each_epoch(const BlockResult& first, double settled_s,
                                run::TuneTrial& row) const {
  if (epoch_s_ == 0 || !row.speedup) return true;
  const double steps_s = settled_s / std::max(1.0, row.speedup->ratio);
  const double built_s = static_cast<double>(first.switch_ns + first.settle_ns) / 1e9 - steps_s;
  if (epoch_s_ * (1 - 1 / row.speedup->ratio) > built_s) return true;
  char text[120];
  std::snprintf(text, sizeof text,
                "gains less in an epoch of %.3g s than its workers' start takes, %.2g s", epoch_s_,
                built_s);
  row.reason = text;
  return false;
}

void LiveTuner::keep(const Proposed& proposed, const run::TuneTrial& row) {
  stack_ = with(stack_, {row.knob, row.to, proposed.knob->pattern});
  done_.insert(row.knob);
  out_.plan.entries.push_back(run::plan_entry(row, proposed.knob->pattern));
}

// Also where the search was cut: what is in force then may be the other one of a pair.
void LiveTuner::leave_standing() {
  BlockSpec spec;
  spec.knobs = switched_of(stack_);
  spec.stays = true;
  spec.with_epochs = true;
  (void)program_.block(spec);
}

LiveTuned LiveTuner::run() {
  while (out_.cut_by.empty()) {
    const auto proposed = next();
    if (!proposed) break;
    if (!time_left()) {
      out_.cut_by = "the time for it was used up";
      leave_out(*proposed->knob, out_.cut_by);
      break;
    }
    compare(*proposed);
  }
  leave_standing();
  out_.search_s = static_cast<double>(clock_.monotonic() - began_ns_) / 1e9;
  out_.lost_s = std::max(0.0, spent_s_ - steps_ * usual_step_s_);
  return std::move(out_);
}

}  // namespace

LiveTuned tune_live(DrivenProgram& program, const TrialResult& so_far,
                    const LiveTuneOptions& options, const base::Clock& clock,
                    const std::function<void(const run::TuneTrial&)>& decided) {
  return LiveTuner(program, so_far, options, clock, decided).run();
}

}  // namespace flatout::apply
