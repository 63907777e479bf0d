// Knobs that nothing predicts: those of the user and of the program, screened.
#include <algorithm>
#include <string>
#include <utility>

#include "apply/screen.h"
#include "apply/statistics/blocks.h"
#include "apply/tuner_loop.h"
#include "run/speedup_text.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr std::size_t kMostNamed = 30;  // trials in a note

// "4 x1.93 (run k7f2)", "8 1.20x slower (run a2bc)", "12 failed: exit status 1 (run m3qa)".
std::string words(const ScreenTrial& trial, double present_rate) {
  std::string text = trial.value;
  if (trial.rate) {
    text += " " + run::ratio_text(*trial.rate / present_rate, 2);
  } else {
    text += " failed: " + trial.failure;
  }
  return text + " (" + trial.run + ")";
}

std::string story(const std::string& knob, const ScreenResult& screened, double present_rate) {
  std::string text;
  for (std::size_t i = 0; i < screened.trials.size() && i < kMostNamed; ++i) {
    text += (text.empty() ? "" : ", ") + words(screened.trials[i], present_rate);
  }
  return knob + " was screened by single trials: " + text;
}

}  // namespace

void Tuner::take_own_knobs() {
  for (const UserKnob& knob : options_.user_knobs) own_knobs_.push_back(knob_of(knob));
  for (const auto& declared : now_.declared) {
    const bool named = std::ranges::any_of(
        options_.user_knobs, [&](const UserKnob& knob) { return knob.name == declared.name; });
    if (!named) own_knobs_.push_back(knob_of(declared));
  }
}

ProposalLimits Tuner::limits() const {
  ProposalLimits out{.knobs = options_.knobs,
                     .most_risk = options_.most_risk,
                     .steps = steps_,
                     .too_much = too_much_};
  for (const Knob& knob : own_knobs_) out.own.push_back(&knob);
  return out;
}

// Single trials among others' load may be slow by chance, and the present rate may be of a quieter
// moment: the best value and the present setting are tried once more, in turn.
Result<void> Tuner::screen_again(ScreenResult& screened, const Knob& knob, std::uint64_t steps,
                                 const TryValue& one) {
  std::optional<std::size_t> likeliest;
  for (std::size_t i = 0; i < screened.trials.size(); ++i) {
    const auto& rate = screened.trials[i].rate;
    if (rate && (!likeliest || *rate > *screened.trials[*likeliest].rate)) likeliest = i;
  }
  if (!likeliest || !enough_time(4)) return {};
  const std::string value = screened.trials[*likeliest].value;
  auto present = trial(stack_, "baseline, beside another try of " + std::string(knob.short_name),
                       {}, 0, steps);
  if (!present) return std::unexpected(present.error());
  const auto present_rate = rate_by_clock(*present);
  if (runner_.interrupted() || !present_rate) return {};
  auto again = one(value);
  if (!again) return std::unexpected(again.error());
  if (!*again || !(*again)->rate) return {};
  if (*(*again)->rate > kMoreByScreen * present_rate->throughput.samples_per_s) {
    screened.best = screened.trials.size();
  }
  screened.trials.push_back(std::move(**again));
  return {};
}

// True with the value to compare in `proposed`; false with the row that says why none is.
Result<bool> Tuner::screen_values(Proposed& proposed, run::TuneTrial& row) {
  const Knob& knob = *proposed.knob;
  Candidate& candidate = proposed.candidate;
  const double present_rate = arms_.samples_per_s(stack_).value_or(0);
  // Long enough to be measured at all, and no longer: it decides nothing.
  const auto steps = std::min(
      enough_steps(stack_),
      std::max(steps_ / 2, static_cast<std::uint64_t>(always_enough_steps(now_.workers))) + 1);
  const TryValue one = [&](const std::string& value) -> Result<std::optional<ScreenTrial>> {
    if (!enough_time(3)) return std::nullopt;  // beside it a comparison must fit
    const std::string from = candidate.from.empty() ? " " : " " + candidate.from + " -> ";
    auto tried = trial(with(stack_, {knob.id, value, knob.pattern}),
                       knob.short_name + from + value + ", a first try", {}, 0, steps);
    if (!tried) return std::unexpected(tried.error());
    if (runner_.interrupted()) return std::nullopt;
    ScreenTrial out{.value = value, .rate = {}, .run = tried->run, .failure = tried->failure};
    const auto refused = std::ranges::find_if(tried->outcomes, [&](const auto& outcome) {
      return outcome.asked.knob == knob.id && !outcome.applied;
    });
    if (refused != tried->outcomes.end()) out.failure = "not applied: " + refused->reason;
    if (!out.failure.empty()) return out;
    if (const auto rate = rate_by_clock(*tried))
      out.rate = rate->throughput.samples_per_s;
    else
      out.failure = "too few steady steps to measure";
    return out;
  };
  auto screened = screen(candidate.screen, candidate.from, present_rate, one);
  if (!screened) return std::unexpected(screened.error());
  if (!screened->best && !arms_.quiet(stack_)) {
    auto again = screen_again(*screened, knob, steps, one);
    if (!again) return std::unexpected(again.error());
  }
  if (!screened->trials.empty()) {
    out_.notes.push_back(story(knob.short_name, *screened, present_rate));
  }
  if (screened->best) {
    candidate.value = screened->trials[*screened->best].value;
    return true;
  }
  row.knob = knob.id;
  row.from = candidate.from;
  for (const auto& trial : screened->trials) {
    row.runs.push_back(trial.run);
    if (row.to.empty() || trial.rate.value_or(0) > row.samples_per_s.value_or(0)) {
      row.to = trial.value;
      row.samples_per_s = trial.rate;
    }
  }
  if (row.to.empty()) row.to = candidate.screen.front();
  const bool all_failed = std::ranges::none_of(
      screened->trials, [](const ScreenTrial& trial) { return trial.rate.has_value(); });
  row.reason = screened->trials.empty() ? "no time for a trial"
               : all_failed             ? "failed: " + screened->trials.front().failure
                                        : "no value was faster in a first trial";
  return false;
}

}  // namespace flatout::apply
