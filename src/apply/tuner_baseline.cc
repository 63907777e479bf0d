// The program as it is: a first look, how long trials are to be and whether the budget holds
// them, and what everything else is compared with.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apply/statistics/blocks.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::int64_t kSteadyNs = 3 * base::kSecond;  // of steady steps, where they are short
constexpr double kAlike = 0.2;  // of the median, between nine tenths and one tenth of the steps
// The program as it is twice, one candidate, and the pair that confirms it.
constexpr int kTrialsOfOneComparison = 5;
constexpr std::uint64_t kHurriedSteps = 20;  // give a rate where few workers load
constexpr int kUnhurriedTrials = 10;         // with fewer, the second baseline waits for a promise
constexpr double kColdFactor = 1.3;

constexpr std::string_view kMayFitInParts =
    "; it may fit where its batches are trained in parts: flatout run --plan FILE, where FILE has "
    "the two lines [knobs] and batch.accumulate = 2";

std::unexpected<base::Error> too_early() {
  return base::fail(ErrorCode::kUnavailable,
                    "interrupted before the program as it is was measured: nothing is known yet");
}

}  // namespace

// Short steps: as many as make kSteadyNs; long ones: as few as can be compared, which is
// fewer where they hardly differ.
void Tuner::choose_steps(const TrialResult& scout) {
  std::vector<std::int64_t> own;
  std::int64_t between_ns = 0;
  for (std::size_t i = scout.steps.size() / 2; i < scout.steps.size(); ++i) {
    own.push_back(scout.steps[i].own_ns);
    between_ns += scout.steps[i].epoch_gap_ns + scout.steps[i].eval_ns;
  }
  if (own.empty()) return;
  std::ranges::sort(own);
  const std::int64_t usual_ns = own[own.size() / 2];
  const double spread = static_cast<double>(own[own.size() * 9 / 10] - own[own.size() / 10]);
  // A trial takes what lies between epochs, too.
  step_ns_ = std::max<std::int64_t>(usual_ns + between_ns / std::ssize(own), 1);
  if (options_.steps) return;
  const bool alike = spread <= kAlike * static_cast<double>(usual_ns);
  const auto enough = static_cast<std::uint64_t>(always_enough_steps(scout.workers));
  std::uint64_t fewest = alike ? std::min(enough, kFewestSteps) : kFewestSteps;
  if (options_.budget_ns) {
    const auto affordable = static_cast<std::uint64_t>(share_of_budget() / step_ns_);
    fewest = std::min(fewest, std::max(kHurriedSteps, affordable));
  }
  steps_ = std::clamp(static_cast<std::uint64_t>(kSteadyNs / step_ns_), fewest, kMostSteps);
}

// The part of the budget that one trial may take, so that the rest holds a comparison.
base::DurationNs Tuner::share_of_budget() const { return options_.budget_ns.value_or(0) / 5; }

int Tuner::look_workers(const Stack& stack) const {
  constexpr int kUsual = 4;  // of a program that was never seen
  return workers_under(stack, now_.steps.empty() ? kUsual : now_.workers);
}

// Steps may be so long that the usual number of them takes all of the budget.
void Tuner::hurry(TrialSpec& spec) const {
  if (!options_.budget_ns || options_.steps) return;
  spec.most_ns = share_of_budget();
  const int workers = look_workers(spec.knobs);
  const std::int64_t least =
      always_enough_steps(workers) / 2 + std::max(workers, kFewestWarmUpSteps) + 1;
  spec.least_steps =
      std::min(spec.steps, std::max(kHurriedSteps, static_cast<std::uint64_t>(least)));
}

// What a trial takes that is as long as was chosen, start-up included; and the user sees it at
// once where the budget is too short for that.
void Tuner::plan_time(const TrialResult& scout) {
  if (step_ns_ == 0) return;
  base::DurationNs in_steps = 0;
  for (const auto& step : scout.steps) {
    in_steps += step.own_ns + step.epoch_gap_ns + step.eval_ns;
  }
  const base::DurationNs start_up_ns = std::max<base::DurationNs>(0, scout.wall_ns - in_steps);
  trial_ns_ = start_up_ns + static_cast<base::DurationNs>(enough_steps({})) * step_ns_;
  longest_ns_ = trial_ns_;
  last_ns_ = {trial_ns_};
  const auto left = left_ns();
  const base::DurationNs needed_ns = blocks_.program && blocks_are_likely()
                                         ? least_blocks_ns() + trial_ns_
                                         : kTrialsOfOneComparison * trial_ns_;
  if (!left || *left >= needed_ns) return;
  const base::DurationNs spent_ns = clock_.monotonic() - started_ns_;
  listener_.too_short(spent_ns + needed_ns, trial_ns_, start_up_ns);
}

bool Tuner::short_of_time(base::DurationNs trial_ns) const {
  const auto left = left_ns();
  return left && *left < kUnhurriedTrials * trial_ns;
}

// Its files may be in memory since then: trials read the same first samples.
void Tuner::note_cold_start(const TrialResult& scout) {
  const auto cold = rate_by_clock(scout);
  const auto warm = arms_.samples_per_s({});
  if (!cold || !warm || touched(scout.outside, now_.outside)) return;
  if (*warm < kColdFactor * cold->throughput.samples_per_s) return;
  const auto& files = scout.data_files;
  if (files && files->cold) return;  // later ones were as cold
  const bool fits =
      files && files->set_bytes && files->room_bytes && *files->set_bytes <= *files->room_bytes;
  char text[400];
  std::snprintf(
      text, sizeof text,
      "the first trial, which may have met cold caches, ran at %.3g samples/s and those "
      "after it at %.3g: they read the same samples again. %s --file-cache cold measures with "
      "files read from storage",
      cold->throughput.samples_per_s, *warm,
      fits ? "The set fits into memory, so this is what later epochs gain; the first one, and "
             "training that has no other, gains otherwise:"
           : "A set that does not fit into memory gains otherwise than measured here:");
  out_.notes.emplace_back(text);
}

Result<void> Tuner::measure_baseline() {
  if (options_.steps) steps_ = *options_.steps;
  auto scout = first_look();
  if (!scout) return std::unexpected(scout.error());
  if (runner_.interrupted()) return too_early();
  out_.id = scout->run;
  if (!scout->failure.empty()) {
    return base::fail(ErrorCode::kUnavailable,
                      "the program itself cannot be measured: " + scout->failure +
                          "; see flatout report " + scout->run +
                          (scout->out_of_memory ? std::string(kMayFitInParts) : ""));
  }
  if (const auto& files = scout->data_files) {
    out_.file_cache = {.cold = files->cold,
                       .files = files->files,
                       .set_bytes = files->set_bytes,
                       .room_bytes = files->room_bytes};
  }
  now_ = *scout;
  choose_steps(*scout);
  plan_time(*scout);
  fetch_draws_ = scout->evidence.fetch_draws;
  const auto& loader = scout->report.loader;
  stream_ = loader && loader->iterable.value_or(false);
  // Resumed, a tune asks in its earlier order: where the program was driven on, no trial of it as
  // it is came next.
  if (look_drove_on_ && blocks_are_likely()) (void)driven({});
  if (blocks_.program && blocks_are_likely()) {
    // It stands for the program as it is until trials are to be compared with that.
    std::string reason;
    look_is_baseline_ = arms_.add({}, *scout, reason);
    if (look_is_baseline_) return {};
  }
  blocks_.program.reset();
  auto measured = measure_baseline_alone();
  if (measured) note_cold_start(*scout);
  return measured;
}

// Trials of the program as it is. The first look does not count: it met cold caches.
Result<void> Tuner::measure_baseline_alone() {
  std::string reason;
  int repeats = 0;
  while (arms_.count({}) < (arms_.count({}) == 1 && short_of_time(trial_ns_) ? 1U : 2U) &&
         !runner_.interrupted()) {
    auto again = trial({}, "baseline", {});
    if (!again) return std::unexpected(again.error());
    if (runner_.interrupted()) break;
    // now_ is the scout or the trial before: the first that was not touched stands.
    if (again->failure.empty() && made_again(now_.outside, again->outside, repeats)) {
      if (log_slowdown(again->outside) < log_slowdown(now_.outside)) now_ = std::move(*again);
      continue;
    }
    if (!arms_.add({}, *again, reason)) {
      return base::fail(ErrorCode::kUnavailable, "the program itself cannot be measured: " +
                                                     reason + "; see flatout report " + again->run);
    }
    now_ = *again;
  }
  if (arms_.count({}) == 0) return too_early();
  return {};
}

// Trials are compared with trials: none of them went on from another one's first steps.
Result<void> Tuner::need_baseline_of_trials() {
  if (!look_is_baseline_) return {};
  look_is_baseline_ = false;
  if (!stack_.empty()) return {};
  const Arms before = arms_;
  arms_.forget({});
  auto measured = measure_baseline_alone();
  if (runner_.interrupted() && arms_.count({}) == 0) {
    arms_ = before;
    return {};
  }
  if (measured) describe_baseline();
  return measured;
}

// The line of the baseline was printed before.
void Tuner::note_later_baseline() {
  const auto& rate = out_.baseline.samples_per_s;
  if (!rate || !printed_baseline_) return;
  const double faster = *rate / *printed_baseline_;
  if (!(faster >= kColdFactor || faster <= 1 / kColdFactor)) return;
  char text[300];
  std::snprintf(text, sizeof text,
                "the first steps, which may have met cold caches, ran at %.3g samples/s and later "
                "ones at %.3g: the later ones are the baseline",
                *printed_baseline_, *rate);
  out_.notes.emplace_back(text);
}

void Tuner::describe_baseline() {
  out_.baseline.samples_per_s = arms_.samples_per_s({});
  if (const auto interval = arms_.interval({})) {
    out_.baseline.lo = interval->first;
    out_.baseline.hi = interval->second;
  }
  if (now_.report.steps) out_.baseline.device_busy = now_.report.steps->device_busy;
  out_.baseline.runs = arms_.runs({});
  out_.baseline.noise = arms_.spread({});
}

// Takes the pace of later blocks of the program as it is, where the first look met cold files.
void Tuner::note_warmer_baseline() {
  auto& seen = blocks_.present_step_s;
  if (!look_is_baseline_ || !stack_.empty() || seen.empty() || !out_.baseline.samples_per_s) return;
  std::ranges::sort(seen);
  const double faster = as_it_is_.step_s / seen[seen.size() / 2];
  if (!(faster >= kColdFactor)) return;
  *out_.baseline.samples_per_s *= faster;
  as_it_is_.step_s /= faster;
}

// As long as trials are at least, so that blocks may do without another one.
Result<TrialResult> Tuner::first_look() {
  TrialSpec spec;
  spec.steps = enough_steps({});
  spec.timeout_ns = trial_timeout_ns();
  hurry(spec);
  const std::uint64_t asked = spec.steps;
  listener_.trial_begins("a first look", {}, left_ns());
  auto look = runner_.look(spec, options_.steps ? 0 : kSteadyNs);
  if (!look) return std::unexpected(look.error());
  blocks_.program = std::move(look->program);
  look_drove_on_ = look->drove_on;
  if (blocks_.program) {
    ++blocks_.starts;
    blocks_.in_force = Stack{};
    blocks_.rested = true;
  }
  TrialResult& trial = look->trial;
  if (!trial.failure.empty()) return std::move(trial);
  expect_as_long_as(trial.wall_ns);
  as_it_is_ = pace_of(trial, asked);
  return std::move(trial);
}

}  // namespace flatout::apply
