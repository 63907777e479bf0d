#include "apply/statistics/paired_blocks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

// Equal blocks would be infinitely sure; a clock of 1 ns on a block of a quarter of a second says
// no more than this.
constexpr double kLeastError = 1e-6;

constexpr int kLooks = static_cast<int>(kBlockLooks.size());

}  // namespace

void PairedBlocks::add(double present_step_s, double candidate_step_s) {
  log_ratios_.push_back(std::log(present_step_s / candidate_step_s));
}

std::optional<Estimate> PairedBlocks::estimate() const {
  const auto n = static_cast<double>(log_ratios_.size());
  if (log_ratios_.size() < 2) return std::nullopt;
  double mean = 0;
  for (const double ratio : log_ratios_) mean += ratio / n;
  double squares = 0;
  for (const double ratio : log_ratios_) squares += (ratio - mean) * (ratio - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  if (!std::isfinite(mean) || !std::isfinite(error)) return std::nullopt;
  return Estimate{.log_ratio = mean,
                  .standard_error = std::max(error, kLeastError),
                  .degrees = static_cast<int>(log_ratios_.size()) - 1};
}

int PairedBlocks::look() const {
  const auto found = std::ranges::find(kBlockLooks, log_ratios_.size());
  return found == kBlockLooks.end() ? 0 : static_cast<int>(found - kBlockLooks.begin()) + 1;
}

Decision PairedBlocks::decide() const {
  const auto now = estimate();
  if (!now || look() == 0) return Decision::kContinue;
  return judge(*now, look(), {.false_keep = false_keep_, .looks = kLooks}).decision;
}

// At a look: the chance that the last one keeps it, as chance_to_keep() has it (predictive power).
bool PairedBlocks::worth_more() const {
  if (log_ratios_.size() >= kBlockLooks.back()) return false;
  const auto now = estimate();
  if (!now || look() == 0) return true;
  const auto n = static_cast<double>(log_ratios_.size());
  const auto last = static_cast<double>(kBlockLooks.back());
  const double variance = now->standard_error * now->standard_error;
  const double last_variance = variance * n / last;
  const double needed =
      std::log1p(kLeastGain) +
      student_quantile(false_keep_ / kLooks, static_cast<int>(kBlockLooks.back()) - 1) *
          std::sqrt(last_variance);
  const double movement = std::sqrt(variance - last_variance);
  const double chance = std::erfc((needed - now->log_ratio) / movement / std::numbers::sqrt2) / 2;
  return chance >= kHopelessBlocks;
}

}  // namespace flatout::apply
