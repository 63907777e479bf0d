#include "apply/tuner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "apply/screen.h"
#include "apply/statistics/blocks.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kRememberedTrials = 4;  // by which the next one's length is reckoned
// A trial that takes this many times the baseline's is hung; the least covers a
// start that is slower with more workers.
constexpr int kTimeoutFactor = 4;
constexpr base::DurationNs kLeastTimeoutNs = 30 * base::kSecond;

run::KnobCounts counts(const run::KnobSetting& setting) {
  const Knob* knob = find_knob(setting.knob);
  return knob == nullptr ? run::KnobCounts::kNothing : knob->counts;
}

}  // namespace

bool compiles(const Stack& stack) {
  return std::ranges::any_of(stack, [](const run::KnobSetting& setting) {
    const Knob* knob = find_knob(setting.knob);
    return knob != nullptr && knob->compiles;
  });
}

int workers_under(const Stack& stack, int present) {
  for (const auto& setting : stack) {
    if (counts(setting) != run::KnobCounts::kWorkers) continue;
    (void)std::from_chars(setting.value.data(), setting.value.data() + setting.value.size(),
                          present);
  }
  return present;
}

// Many workers need long trials: what they queue at first is no measurement.
std::uint64_t Tuner::enough_steps(const Stack& stack) const {
  return enough_steps(stack, pace_of(now_, 0));
}

// `pace`: of what `stack` is compared with.
std::uint64_t Tuner::enough_steps(const Stack& stack, const TrialPace& pace) const {
  const int workers = workers_under(stack, pace.workers);
  std::uint64_t steps = steps_;
  const bool sized = std::ranges::any_of(stack, [](const run::KnobSetting& setting) {
    return counts(setting) == run::KnobCounts::kSamples;
  });
  // Steps of a larger batch are longer: as many as take the time of the others.
  if (sized && batch_step_ratio_) {
    const auto as_long =
        static_cast<std::uint64_t>(static_cast<double>(steps) / *batch_step_ratio_);
    steps = std::clamp(as_long, std::min(kFewestSteps, steps), steps);
  }
  steps = std::max(steps, static_cast<std::uint64_t>(always_enough_steps(workers)));
  // One more: the last is cut off where the trial ends.
  return (options_.steps ? steps : with_epochs(steps, pace)) + 1;
}

base::DurationNs Tuner::trial_timeout_ns() const {
  const base::DurationNs longest = std::max(trial_ns_, longest_ns_);
  return longest == 0 ? options_.first_timeout_ns
                      : std::max(kLeastTimeoutNs, kTimeoutFactor * longest);
}

// No less than so many steps need at the pace that was seen: trials are not of one length.
base::DurationNs Tuner::trial_timeout_ns(const Stack& stack, std::uint64_t steps) const {
  const TrialPace pace = stack.empty() ? as_it_is_ : pace_of(now_, 0);
  return std::max(trial_timeout_ns(), kTimeoutFactor * pace.expected_ns(steps));
}

base::DurationNs Tuner::confirming_pair_ns() const {
  return std::max(longest_ns_, as_it_is_.expected_ns(confirming_steps({}))) + trial_ns_;
}

base::DurationNs Tuner::confirming_ns() const {
  return can_confirm_in_blocks() ? trial_ns_ + kConfirmingBlocksNs
                                 : kConfirmPairs * confirming_pair_ns();
}

std::optional<base::DurationNs> Tuner::left_ns() const {
  if (!options_.budget_ns) return std::nullopt;
  return std::max<base::DurationNs>(0, *options_.budget_ns - (clock_.monotonic() - started_ns_));
}

// Beside them, the trials that confirm what was kept must fit.
bool Tuner::enough_time(int trials) const {
  if (runner_.interrupted()) return false;
  const auto left = left_ns();
  if (!left) return true;
  const bool confirming = !stack_.empty() && !confirming_;
  return *left >= trials * trial_ns_ + (confirming ? confirming_ns() : 0);
}

Result<TrialResult> Tuner::trial(const Stack& stack, const std::string& what,
                                 const std::optional<run::Speedup>& predicted,
                                 std::uint64_t seed_shift, std::uint64_t steps) {
  TrialSpec spec;
  spec.knobs = stack;
  spec.steps = steps != 0 ? steps : enough_steps(stack);
  spec.seed_shift = seed_shift;
  spec.timeout_ns = trial_timeout_ns(stack, spec.steps);
  const std::uint64_t asked = spec.steps;
  auto result = start(std::move(spec), what, predicted);
  if (!result || !result->failure.empty()) return result;
  expect_as_long_as(result->wall_ns);
  if (stack.empty()) as_it_is_ = pace_of(*result, asked);
  return result;
}

// The first ones met cold files, and what was kept since makes trials shorter.
void Tuner::expect_as_long_as(base::DurationNs wall_ns) {
  longest_ns_ = std::max(longest_ns_, wall_ns);
  last_ns_.push_back(wall_ns);
  if (last_ns_.size() > kRememberedTrials) last_ns_.pop_front();
  trial_ns_ = *std::ranges::max_element(last_ns_);
}

Result<TrialResult> Tuner::start(TrialSpec spec, const std::string& what,
                                 const std::optional<run::Speedup>& predicted) {
  blocks_.program.reset();  // nothing runs beside a trial
  listener_.trial_begins(what, predicted, left_ns());
  spec.final = confirming_;
  if (spec.timeout_ns == 0) spec.timeout_ns = trial_timeout_ns();
  if (compiles(spec.knobs)) spec.timeout_ns = std::max(spec.timeout_ns, kCompilePatienceNs);
  return runner_.run(spec);
}

void Tuner::keep(const Proposed& proposed, Verdict verdict) {
  const run::TuneTrial& row = verdict.row;
  stack_ = with(stack_, {row.knob, row.to, proposed.knob->pattern});
  std::erase_if(out_.plan.unproved,
                [&](const run::PlanEntry& entry) { return entry.setting.knob == row.knob; });
  if (proposed.knob->changes == KnobChanges::kTraining) {
    // From here on, losses are those of another training.
    gate_base_ = stack_;
    other_seeds_.clear();
  }
  now_ = std::move(*verdict.best);
  standing_rate_ = row.samples_per_s;
  auto& entries = out_.plan.entries;
  const auto old = std::ranges::find(
      entries, row.knob, [](const run::PlanEntry& entry) { return entry.setting.knob; });
  run::PlanEntry entry = run::plan_entry(row, proposed.knob->pattern);
  if (old != entries.end()) entry.from = old->from;
  if (old == entries.end()) {
    entries.push_back(std::move(entry));
    return;
  }
  // The knob moved on: its gain is that over the program's own value.
  entry.predicted = std::nullopt;
  if (entry.measured && old->measured) {
    entry.measured = run::Speedup{entry.measured->ratio * old->measured->ratio,
                                  entry.measured->lo * old->measured->lo,
                                  entry.measured->hi * old->measured->hi};
  }
  *old = std::move(entry);
}

// Each knob that is proposed now and was never tried is named, with `why`: it is no lack of ideas
// that ends the tune. False where nothing is proposed.
bool Tuner::name_the_rest(const std::string& why) {
  const Situation situation{.report = now_.report, .predictor = now_.predictor.get()};
  std::set<std::string> said;
  for (const auto& [knob, value] : tried_) said.insert(knob);
  Tried passed = tried_;
  std::vector<run::TuneTrial> rows;
  std::vector<run::TuneTrial> again;  // the first look has said why the others are left out
  auto next = next_proposal(situation, limits(), passed, out_.skipped);
  const bool any = next.has_value() || !waiting_.empty();
  for (const Screened& screened : std::exchange(waiting_, {})) settle(screened, why);
  for (; next; next = next_proposal(situation, limits(), passed, again)) {
    std::string knob(next->knob->id);
    passed.insert({knob, next->candidate.value});
    if (!said.insert(knob).second) continue;
    run::TuneTrial row;
    row.knob = std::move(knob);
    row.reason = why;
    rows.push_back(std::move(row));
  }
  std::ranges::move(rows, std::back_inserter(out_.skipped));
  return any;
}

void Tuner::note_the_end_of_time() {
  if (runner_.interrupted()) return;
  if (name_the_rest("the budget was used up before its turn")) out_.budget_ended = true;
}

// False when nothing is left to try, or no time for it.
Result<bool> Tuner::improve() {
  const bool in_blocks = blocks_.program && blocks_are_likely();
  if (!(in_blocks ? time_for_blocks() : enough_time(1))) {
    note_the_end_of_time();
    return false;
  }
  const Situation situation{.report = now_.report, .predictor = now_.predictor.get()};
  auto proposed = next_proposal(situation, limits(), tried_, out_.skipped);
  std::optional<Screened> screened;
  if (!proposed) {
    screened = next_of_those_that_wait();
    if (!screened) return false;
    proposed = screened->proposed;
  }
  if (!worth_its_time(*proposed)) {
    if (screened) waiting_.push_back(std::move(*screened));
    (void)name_the_rest(
        "its likely gain in a training as long as --for is less than its trial takes");
    return false;
  }
  // It most likely takes all its looks and ends as it began.
  if (proposed->doubtful && !enough_time(2 * kMostLooks)) {
    (void)name_the_rest("under 0.5 % is predicted, and the budget is too short to try that");
    return false;
  }
  const auto false_keep = budget_.next();
  if (!false_keep) {
    if (screened) waiting_.push_back(std::move(*screened));
    (void)name_the_rest("all comparisons were used up before its turn");
    out_.notes.push_back("all " + std::to_string(kMostComparisons) +
                         " comparisons are used up, of which each has its share of the error "
                         "rate: tune again under the plan for more");
    return false;
  }
  tried_.insert({std::string(proposed->knob->id), proposed->candidate.value});
  if (!proposed->candidate.screen.empty()) {
    const auto found = screen_values(*proposed, std::move(screened));
    if (!found) return std::unexpected(found.error());
    if (runner_.interrupted()) return false;
    if (!*found) {
      budget_.give_back();
      return true;
    }
  }
  auto verdict = compare_with(*proposed, *false_keep);
  if (!verdict) return std::unexpected(verdict.error());
  if (verdict->row.reason == "interrupted") return false;
  if (!verdict->looked) budget_.give_back();
  if (verdict->failed) {
    too_much_.failed(verdict->row.knob, verdict->row.to, verdict->row.from);
  }
  out_.trials.push_back(verdict->row);
  if (verdict->row.kept) keep(*proposed, std::move(*verdict));
  listener_.decided(out_.trials.back());
  return true;
}

void Tuner::finish() {
  blocks_.program.reset();
  for (const Screened& screened : waiting_) settle(screened, "interrupted");
  note_later_baseline();
  note_outside_load();
  note_epochs();
  std::vector<double> errors;
  for (const auto& row : out_.trials) {
    if (!row.predicted || !row.speedup || !(row.speedup->ratio > 0)) continue;
    if (too_wide(*row.speedup)) continue;  // what noise hid says nothing of the prediction
    errors.push_back(std::abs(row.predicted->ratio / row.speedup->ratio - 1));
  }
  if (!errors.empty()) {
    std::ranges::sort(errors);
    const std::size_t middle = errors.size() / 2;
    out_.prediction_error_median =
        errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
  }
  out_.interrupted = runner_.interrupted();
  out_.ended_ns = clock_.wall();
  out_.seconds = static_cast<double>(clock_.monotonic() - started_ns_) / 1e9;
  judge_plan();
}

Result<run::TuneReport> Tuner::run() {
  if (auto measured = measure_baseline(); !measured) return std::unexpected(measured.error());
  take_own_knobs();
  out_.steps = steps_;
  describe_baseline();
  listener_.planned(plan());
  listener_.baseline(out_);
  printed_baseline_ = out_.baseline.samples_per_s;
  for (bool more = true, searched = false; more;) {
    auto improved = improve();
    // Once, behind the others; what it keeps may open the way for them again.
    if (improved && !*improved && !std::exchange(searched, true)) improved = search_batch_size();
    if (!improved) return std::unexpected(improved.error());
    more = *improved;
  }
  if (auto left = leave_out_again(); !left) return std::unexpected(left.error());
  if (auto confirmed = confirm(); !confirmed) return std::unexpected(confirmed.error());
  finish();
  return std::move(out_);
}

Result<run::TuneReport> tune(TrialRunner& runner, const TuneOptions& options,
                             const base::Clock& clock, TuneListener& listener) {
  return Tuner(runner, options, clock, listener).run();
}

}  // namespace flatout::apply
