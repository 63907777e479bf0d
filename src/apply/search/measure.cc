#include "apply/search/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apply/statistics/blocks.h"
#include "apply/statistics/comparison.h"
#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

using base::ErrorCode;
using base::Result;

std::unexpected<base::Error> none(const std::string& why) {
  return base::fail(ErrorCode::kUnavailable, why);
}

// A trial that is too short for blocks: the second half is mostly after the warm-up.
std::optional<double> plain_rate(std::span<const TimedStep> steps) {
  const std::span<const TimedStep> half = steps.subspan(steps.size() / 2);
  double samples = 0;
  double seconds = 0;
  for (const auto& step : half) {
    samples += step.samples;
    seconds += static_cast<double>(step.own_ns) / 1e9;
  }
  if (half.empty() || !(seconds > 0) || !(samples > 0)) return std::nullopt;
  return samples / seconds;
}

Result<double> rate(const TrialResult& trial) {
  if (const auto steady = rate_by_clock(trial)) return steady->throughput.samples_per_s;
  if (const auto plain = plain_rate(trial.steps)) return *plain;
  return none("too few steps to tell a rate");
}

Result<double> logged_value(std::span<const double> values, const std::string& name) {
  if (values.empty()) return none("the program logged no " + name);
  const std::size_t count = std::max<std::size_t>(1, values.size() / 4);
  const auto last = values.last(count);
  const double sum = std::accumulate(last.begin(), last.end(), 0.0);
  if (!std::isfinite(sum)) return none(name + " is not finite");
  return sum / static_cast<double>(count);
}

TrialRate rate_with_noise(const TrialResult& trial, double samples_per_s) {
  if (const auto steady = rate_by_clock(trial)) return rate_of(steady->throughput);
  return {.log_rate = std::log(samples_per_s), .variance = 0};
}

// Empty where one of them has no rate.
std::vector<TrialRate> rates(std::span<const TrialResult> trials) {
  std::vector<TrialRate> out;
  for (const auto& trial : trials) {
    const auto samples_per_s = rate(trial);
    if (!samples_per_s) return {};
    out.push_back(rate_with_noise(trial, *samples_per_s));
  }
  return out;
}

}  // namespace

Result<double> objective_of(const MeasuredTrial& measured, const run::SearchObjective& objective) {
  const TrialResult& trial = measured.trial;
  if (!trial.failure.empty()) return none(trial.failure);
  for (const auto& outcome : trial.outcomes) {
    if (outcome.applied) continue;
    return none(outcome.asked.knob + " was not applied" +
                (outcome.reason.empty() ? "" : ": " + outcome.reason));
  }
  switch (objective.kind) {
    case run::SearchObjective::Kind::kSamplesPerSecond:
      return rate(trial);
    case run::SearchObjective::Kind::kDeviceBusy:
      if (trial.report.steps && trial.report.steps->device_busy) {
        return *trial.report.steps->device_busy;
      }
      return none("device busy could not be measured");
    case run::SearchObjective::Kind::kLogged:
      break;
  }
  return logged_value(measured.logged, objective.logged);
}

std::optional<run::Speedup> rate_ratio(std::span<const TrialResult> baseline,
                                       std::span<const TrialResult> candidate) {
  const auto present = rates(baseline);
  const auto tried = rates(candidate);
  if (present.empty() || tried.empty()) return std::nullopt;
  const auto calm = [](const TrialResult& trial) { return quiet(trial.outside); };
  const bool all = std::ranges::all_of(baseline, calm) && std::ranges::all_of(candidate, calm);
  const auto estimate = compare(present, tried, NoiseModel(all ? kPriorSpread : kRestlessSpread));
  if (!estimate) return std::nullopt;
  return speedup_of(*estimate);
}

std::optional<run::SearchDifference> paired_difference(std::span<const double> baseline,
                                                       std::span<const double> candidate) {
  const std::size_t pairs = baseline.size();
  if (pairs < 2 || candidate.size() != pairs) return std::nullopt;
  double mean = 0;
  for (std::size_t i = 0; i < pairs; ++i) mean += candidate[i] - baseline[i];
  mean /= static_cast<double>(pairs);
  double squares = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double off = candidate[i] - baseline[i] - mean;
    squares += off * off;
  }
  const auto degrees = static_cast<double>(pairs - 1);
  const double error = std::sqrt(squares / degrees / static_cast<double>(pairs));
  const double reach = student_quantile(0.025, static_cast<int>(pairs - 1)) * error;
  return run::SearchDifference{.mean = mean, .lo = mean - reach, .hi = mean + reach};
}

}  // namespace flatout::apply
