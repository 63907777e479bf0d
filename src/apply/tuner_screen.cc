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

constexpr double kClearByScreen = 1.5;  // more than others' load most often does to one trial
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

double fastest(const ScreenResult& found) {
  double out = 0;
  for (const ScreenTrial& trial : found.trials) out = std::max(out, trial.rate.value_or(0));
  return out;
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

// Where others load the machine, a small gain in one trial is most often noise, and following it
// takes the time of what is clear: that comes when all others were screened.
bool Tuner::waits_for_others(const ScreenResult& found) const {
  if (arms_.quiet(stack_)) return false;
  const double clear = kClearByScreen * arms_.samples_per_s(stack_).value_or(0);
  const double rate = fastest(found);
  return rate > 0 && rate < clear;
}

// The one with the largest gain in its first trials.
std::optional<Tuner::Screened> Tuner::next_of_those_that_wait() {
  const auto next = std::ranges::max_element(
      waiting_, {}, [](const Screened& one) { return fastest(one.found) / one.present_rate; });
  if (next == waiting_.end()) return std::nullopt;
  Screened out = std::move(*next);
  waiting_.erase(next);
  return out;
}

// Long enough to be measured at all, and no longer: it decides nothing.
std::uint64_t Tuner::screen_steps() const {
  const auto least = static_cast<std::uint64_t>(always_enough_steps(now_.workers));
  return std::min(enough_steps(stack_), std::max(steps_ / 2, least) + 1);
}

Result<std::optional<ScreenTrial>> Tuner::try_value(const Proposed& proposed,
                                                    const std::string& value) {
  if (!enough_time(3)) return std::nullopt;  // beside it a comparison must fit
  const Knob& knob = *proposed.knob;
  const std::string& present = proposed.candidate.from;
  const std::string from = present.empty() ? " " : " " + present + " -> ";
  auto tried = trial(with(stack_, {knob.id, value, knob.pattern}),
                     knob.short_name + from + value + ", a first try", {}, 0, screen_steps());
  if (!tried) return std::unexpected(tried.error());
  if (runner_.interrupted()) return std::nullopt;
  ScreenTrial out{.value = value, .rate = {}, .run = tried->run, .failure = tried->failure};
  const auto refused = std::ranges::find_if(tried->outcomes, [&](const auto& outcome) {
    return outcome.asked.knob == knob.id && !outcome.applied;
  });
  if (refused != tried->outcomes.end()) out.failure = "not applied: " + refused->reason;
  if (!out.failure.empty()) return out;
  if (const auto rate = rate_by_clock(*tried)) {
    out.rate = rate->throughput.samples_per_s;
  } else {
    out.failure = "too few steady steps to measure";
  }
  return out;
}

// Single trials among others' load may be slow by chance, and the present rate may be of a quieter
// moment: the best value and the present setting are tried once more, in turn.
Result<void> Tuner::screen_again(const Proposed& proposed, ScreenResult& found) {
  std::optional<std::size_t> likeliest;
  for (std::size_t i = 0; i < found.trials.size(); ++i) {
    const auto& rate = found.trials[i].rate;
    if (rate && (!likeliest || *rate > *found.trials[*likeliest].rate)) likeliest = i;
  }
  if (!likeliest || !enough_time(4)) return {};
  const std::string value = found.trials[*likeliest].value;
  auto present = trial(stack_, "baseline, beside another try of " + proposed.knob->short_name, {},
                       0, screen_steps());
  if (!present) return std::unexpected(present.error());
  const auto present_rate = rate_by_clock(*present);
  if (runner_.interrupted() || !present_rate) return {};
  auto again = try_value(proposed, value);
  if (!again) return std::unexpected(again.error());
  if (!*again || !(*again)->rate) return {};
  if (*(*again)->rate > kMoreByScreen * present_rate->throughput.samples_per_s) {
    found.best = found.trials.size();
  }
  found.trials.push_back(std::move(**again));
  return {};
}

// True with the value to compare in `proposed`; false where it waits, or its row is written.
// `earlier`: its first tries, where it has waited.
Result<bool> Tuner::screen_values(Proposed& proposed, std::optional<Screened> earlier) {
  Candidate& candidate = proposed.candidate;
  if (auto measured = need_baseline_of_trials(); !measured) {
    return std::unexpected(measured.error());
  }
  if (!earlier) {
    const double present_rate = arms_.samples_per_s(stack_).value_or(0);
    auto found = screen(candidate.screen, candidate.from, present_rate,
                        [&](const std::string& value) { return try_value(proposed, value); });
    if (!found) return std::unexpected(found.error());
    if (runner_.interrupted()) return false;
    earlier = Screened{proposed, std::move(*found), present_rate};
    if (waits_for_others(earlier->found)) {
      waiting_.push_back(std::move(*earlier));
      return false;
    }
  }
  if (!earlier->found.best && !arms_.quiet(stack_)) {
    auto again = screen_again(proposed, earlier->found);
    if (!again) return std::unexpected(again.error());
    if (runner_.interrupted()) return false;
  }
  if (const auto best = earlier->found.best) {
    note_screen(*earlier);
    candidate.value = earlier->found.trials[*best].value;
    return true;
  }
  settle(*earlier, "");
  return false;
}

void Tuner::note_screen(const Screened& screened) {
  if (screened.found.trials.empty()) return;
  out_.notes.push_back(
      story(screened.proposed.knob->short_name, screened.found, screened.present_rate));
}

// The row of a knob that is not compared. `otherwise`: why, where one of its values was faster.
void Tuner::settle(const Screened& screened, const std::string& otherwise) {
  const auto& trials = screened.found.trials;
  run::TuneTrial row;
  row.knob = screened.proposed.knob->id;
  row.from = screened.proposed.candidate.from;
  for (const auto& trial : trials) {
    row.runs.push_back(trial.run);
    if (row.to.empty() || trial.rate.value_or(0) > row.samples_per_s.value_or(0)) {
      row.to = trial.value;
      row.samples_per_s = trial.rate;
    }
  }
  if (row.to.empty()) row.to = screened.proposed.candidate.screen.front();
  const bool all_failed =
      std::ranges::none_of(trials, [](const ScreenTrial& trial) { return trial.rate.has_value(); });
  row.reason = trials.empty()        ? "no time for a trial"
               : all_failed          ? "failed: " + trials.front().failure
               : screened.found.best ? otherwise
                                     : "no value was faster in a first trial";
  note_screen(screened);
  out_.trials.push_back(std::move(row));
  listener_.decided(out_.trials.back());
}

}  // namespace flatout::apply
