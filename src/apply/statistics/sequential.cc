#include "apply/statistics/sequential.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

std::optional<double> reach(const Estimate& estimate, double error) {
  if (!(error > 0)) return std::nullopt;
  return student_quantile(error, estimate.degrees) * estimate.standard_error;
}

// The variance of the difference after `look`, in units of one trial's.
double trials_inverse(int look) { return 1.0 / look + 1.0 / (look + 1.0); }

}  // namespace

Judgement judge(const Estimate& estimate, int look, const SequentialTest& test) {
  if (look < 1 || look > test.looks) return {};
  const double threshold = std::log1p(kLeastGain);
  Judgement judgement;
  if (const auto down = reach(estimate, test.false_keep / test.looks)) {
    judgement.lower = estimate.log_ratio - *down;
  }
  if (const auto up = reach(estimate, kMissedGains / test.looks)) {
    judgement.upper = estimate.log_ratio + *up;
  }
  if (judgement.lower && *judgement.lower > threshold) {
    judgement.decision = Decision::kKeep;
  } else if (judgement.upper && *judgement.upper < threshold) {
    judgement.decision = Decision::kDrop;
  }
  return judgement;
}

double chance_to_keep(const Estimate& estimate, int look, const SequentialTest& test) {
  if (look < 1 || look >= test.looks || !(test.false_keep > 0)) return 0;
  const double variance = estimate.standard_error * estimate.standard_error;
  const double last_variance = variance * trials_inverse(test.looks) / trials_inverse(look);
  const int last_degrees = estimate.degrees + 2 * (test.looks - look);
  const double needed =
      std::log1p(kLeastGain) +
      student_quantile(test.false_keep / test.looks, last_degrees) * std::sqrt(last_variance);
  // What the estimate still may move by: normal, around where it is.
  const double movement = std::sqrt(variance - last_variance);
  return std::erfc((needed - estimate.log_ratio) / movement / std::numbers::sqrt2) / 2;
}

Estimate mirrored(const Estimate& estimate) {
  Estimate out = estimate;
  out.log_ratio = 2 * std::log1p(kLeastGain) - estimate.log_ratio;
  return out;
}

Outcome outcome_of(Decision last) {
  switch (last) {
    case Decision::kKeep:
      return Outcome::kKept;
    case Decision::kDrop:
      return Outcome::kDropped;
    case Decision::kContinue:
      break;
  }
  return Outcome::kUndecided;
}

KeepBudget::KeepBudget(int comparisons) : comparisons_(std::max(comparisons, 1)) {}

std::optional<double> KeepBudget::next() {
  if (given_ >= comparisons_) return std::nullopt;
  ++given_;
  return kFalseKeeps / comparisons_;
}

void KeepBudget::give_back() { given_ = std::max(given_ - 1, 0); }

}  // namespace flatout::apply
