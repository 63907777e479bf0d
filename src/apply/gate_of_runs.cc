#include "apply/gate_of_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

using Losses = std::vector<double>;

constexpr double kTimesRerun = 2;
constexpr double kShareOfLoss = 0.005;

GateOpinion refused(std::string why) {
  return {.gate = run::LossGate::kFailed, .reason = std::move(why)};
}

bool finite_losses(const TrainingSeen& seen) {
  return std::ranges::all_of(seen.losses, [](double loss) { return std::isfinite(loss); });
}

struct Spread {
  double mean = 0;
  double deviation = 0;  // of one value
};

Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Spread out;
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = values.size() < 2 ? 0 : std::sqrt(squares / (count - 1));
  return out;
}

std::span<const double> second_half(const Losses& losses, std::size_t n) {
  return std::span(losses).first(n).subspan(n / 2);
}

bool same_to_the_bit(const Losses& a, const Losses& b, std::size_t n) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin(),
                    [](double one, double other) {
                      return std::bit_cast<std::uint64_t>(one) ==
                             std::bit_cast<std::uint64_t>(other);
                    });
}

// "" where the parameters moved as they do without the setting.
std::string moved_otherwise(const Movement& rerun, const Movement& candidate) {
  const auto beyond = [](double ratio, double own, double factor) {
    const double far = std::abs(std::log(ratio));
    return !(far <= std::log(factor)) && !(far <= kTimesRerun * std::abs(std::log(own)));
  };
  if (beyond(candidate.ratio, rerun.ratio, kNormFactor)) {
    return "the parameters move " + loss_text(candidate.ratio) + " times as far as without it";
  }
  if (!(candidate.least >= kLeastMove) && rerun.least >= kLeastMove) {
    return "a parameter moves " + loss_text(candidate.least) + " times as far as without it";
  }
  if (!(candidate.most <= kMostMove) && rerun.most <= kMostMove) {
    return "a parameter moves " + loss_text(candidate.most) + " times as far as without it";
  }
  // As far from the same direction as two runs without it are, at most twice.
  const double least = std::min(kLeastCosine, 1 - kTimesRerun * (1 - rerun.cosine));
  if (!(candidate.cosine >= least)) {
    return "the parameters move elsewhere (cosine " + loss_text(candidate.cosine) +
           " to the way without it)";
  }
  return "";
}

}  // namespace

GateOpinion judge_same_batches(const TrainingSeen& reference, const TrainingSeen& rerun,
                               const TrainingSeen& candidate) {
  const std::size_t n =
      std::min({reference.losses.size(), rerun.losses.size(), candidate.losses.size()});
  if (n < kFewestLosses) return inconclusive("too few losses were seen");
  if (!finite_losses(reference) || !finite_losses(rerun)) {
    return inconclusive("losses are not finite without it, either");
  }
  if (!finite_losses(candidate)) return refused("a loss is not finite");
  GateOpinion passed{.gate = run::LossGate::kPassed, .reason = ""};
  passed.without_norms = !candidate.moved || !rerun.moved;
  if (same_to_the_bit(reference.losses, candidate.losses, n)) return passed;
  const Spread late = spread_of(second_half(reference.losses, n));
  const double own = spread_of(second_half(rerun.losses, n)).mean - late.mean;
  const double by = spread_of(second_half(candidate.losses, n)).mean - late.mean;
  const auto half = static_cast<double>(n - n / 2);
  const double bound = std::max({kTimesRerun * std::abs(own), late.deviation / std::sqrt(half),
                                 kShareOfLoss * std::abs(late.mean)});
  if (!(std::abs(by) <= bound)) {
    return refused("the loss moves by " + loss_text(by) + " with the same batches, allowed are " +
                   loss_text(bound));
  }
  if (passed.without_norms) return passed;
  const std::string otherwise = moved_otherwise(*rerun.moved, *candidate.moved);
  return otherwise.empty() ? passed : refused(otherwise);
}

GateOpinion judge_fresh_batches(std::span<const TrainingSeen> present,
                                std::span<const TrainingSeen> candidate) {
  Losses means;
  Losses with_it;
  for (const bool candidates : {false, true}) {
    for (const TrainingSeen& seen : candidates ? candidate : present) {
      if (seen.losses.size() < kFewestLosses) return inconclusive("too few losses were seen");
      if (!finite_losses(seen)) {
        return candidates ? refused("a loss is not finite")
                          : inconclusive("losses are not finite without it, either");
      }
      (candidates ? with_it : means).push_back(spread_of(seen.losses).mean);
    }
  }
  if (means.size() < 2 || with_it.size() < 2) return inconclusive("too few runs");
  const Spread a = spread_of(means);
  const Spread b = spread_of(with_it);
  const auto of_a = static_cast<double>(means.size());
  const auto of_b = static_cast<double>(with_it.size());
  const int degrees = static_cast<int>(means.size() + with_it.size()) - 2;
  const double variance =
      ((of_a - 1) * a.deviation * a.deviation + (of_b - 1) * b.deviation * b.deviation) / degrees;
  const double reach = std::max(
      student_quantile(kRefusedShare / 2, degrees) * std::sqrt(variance * (1 / of_a + 1 / of_b)),
      kShareOfLoss * std::abs(a.mean));
  if (std::abs(b.mean - a.mean) <= reach) return {.gate = run::LossGate::kPassed, .reason = ""};
  return refused("the loss is " + loss_text(b.mean) + ", other batches from the same state give " +
                 loss_text(a.mean) + " +- " + loss_text(reach));
}

}  // namespace flatout::apply
