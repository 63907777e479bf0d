// How trials see the begins of epochs, which cost time by the clock: statistics/clock_rate.h.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "apply/tuner_loop.h"
#include "base/counted.h"

namespace flatout::apply {
namespace {

// Whole epochs of a trial, the first among them, which counts for nothing.
constexpr double kWantedEpochs = 6;
// That a trial may take longer to hold whole epochs, and to see one begin again.
constexpr double kWholeS = 10;
constexpr double kRestartS = 20;
// The share of the clock that begins of epochs take, by the first: below it that is exact enough.
constexpr double kLittle = 0.01;

}  // namespace

// Not if the program as it is ended with its first epoch, and perhaps evaluated after it. In a
// short budget more trials show more than one that is exact.
bool Tuner::worth_seeing_again(std::uint64_t steps, const TrialPace& pace) const {
  if (as_it_is_.ended_by_itself && static_cast<double>(as_it_is_.steps) <= pace.epoch_steps + 1)
    return false;
  return !short_of_time(as_it_is_.expected_ns(steps));
}

// `steps` or more: as many as hold whole epochs, or one that begins again, where that is not long.
std::uint64_t Tuner::with_epochs(std::uint64_t steps, const TrialPace& pace) const {
  if (!(pace.epoch_steps >= 1)) return steps;
  const auto fits = [&](double wanted, double most_s) {
    return wanted <= static_cast<double>(kMostSteps) &&
           (wanted * pace.step_s <= most_s || wanted <= 1.5 * static_cast<double>(steps));
  };
  const double whole = std::ceil(kWantedEpochs * pace.epoch_steps) + 1;
  if (fits(whole, kWholeS)) return std::max(steps, static_cast<std::uint64_t>(whole));
  if (pace.start_share < kLittle) return steps;
  const double again = std::ceil(pace.epoch_steps) + 2 * std::max(pace.workers, 4);
  const auto wanted = std::max(steps, static_cast<std::uint64_t>(again));
  return fits(again, kRestartS) && worth_seeing_again(wanted, pace) ? wanted : steps;
}

// The last comparison holds the program as it is, which may be many times slower than what was
// kept: its trials are as long as its own pace asks for. Both sides hold whole epochs, or none
// does, as evaluation between epochs counts in the former alone.
std::uint64_t Tuner::confirming_steps(const Stack& side) const {
  TrialPace of_kept = as_it_is_;
  of_kept.workers = std::max(of_kept.workers, now_.workers);
  const std::uint64_t kept = enough_steps(stack_, of_kept);
  if (side == stack_) return kept;
  const double whole = (kFewestEpochs + 1) * as_it_is_.epoch_steps;
  const std::uint64_t own = enough_steps(side, as_it_is_);
  return whole >= 1 && static_cast<double>(kept) > whole ? std::max(own, kept) : own;
}

// Notes how the rates of this tune count the time between epochs.
void Tuner::note_epochs() {
  const auto rate = rate_by_clock(now_);
  if (!rate) return;
  out_.clock.by = rate->by == ClockBy::kEpochs   ? "epochs"
                  : rate->by == ClockBy::kStarts ? "starts"
                                                 : "steps";
  if (rate->epoch_steps >= 1) out_.clock.epoch_steps = rate->epoch_steps;
  if (rate->throughput.start_share > 0) out_.clock.start_share = rate->throughput.start_share;
  const bool begun = std::ranges::any_of(now_.steps, &TimedStep::begins_epoch);
  if (rate->by == ClockBy::kSteps && begun) {
    out_.notes.emplace_back(
        "how long an epoch is could not be seen: these rates are of the steps that the trials saw, "
        "without what lies between epochs");
  }
  if (rate->by == ClockBy::kStarts && !rate->restart_seen &&
      rate->throughput.start_share >= kLittle) {
    const auto steps = static_cast<std::int64_t>(std::llround(rate->epoch_steps));
    out_.notes.push_back("an epoch of " + base::counted(steps, "step", "steps") +
                         " is longer than a trial: what its begin costs is taken from the "
                         "program's first one, and evaluation between epochs is left out");
  }
}

}  // namespace flatout::apply
