#include "apply/loss_gate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "apply/loss_by_samples.h"
#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

constexpr double kShareOfDrop = 0.005;  // what rounding may move the loss
constexpr double kTimesDeviation = 2;

GateOpinion passed() { return {.gate = run::LossGate::kPassed, .reason = ""}; }
GateOpinion failed(std::string why) {
  return {.gate = run::LossGate::kFailed, .reason = std::move(why)};
}

bool all_finite(const std::vector<double>& losses) {
  return std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); });
}

// Over the second half of the first `n`.
double late_mean(const std::vector<double>& losses, std::size_t n) {
  const std::size_t first = n / 2;
  double sum = 0;
  for (std::size_t i = first; i < n; ++i) sum += losses[i];
  return sum / static_cast<double>(n - first);
}

std::size_t common_length(std::span<const LossEvidence> trials, std::size_t n) {
  for (const auto& trial : trials) n = std::min(n, trial.losses.size());
  return n;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  }
  return n > 0;
}

// Where one more value of the same kind lies, but for kRefusedShare of them.
struct OneMore {
  double mean = 0;
  double reach = 0;
};

OneMore one_more(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  OneMore out;
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.reach = student_quantile(kRefusedShare / 2, static_cast<int>(values.size()) - 1) *
              std::sqrt(squares / (count - 1)) * std::sqrt(1 + 1 / count);
  return out;
}

// Over the most batches that both have said, loader by loader.
bool other_order(const LossEvidence& a, const LossEvidence& b) {
  for (const auto& [loader, of_a] : a.sample_orders) {
    const auto of_b = b.sample_orders.find(loader);
    if (of_b == b.sample_orders.end()) continue;
    for (auto said = of_a.rbegin(); said != of_a.rend(); ++said) {
      const auto other = of_b->second.find(said->first);
      if (other == of_b->second.end()) continue;
      if (other->second != said->second) return true;
      break;
    }
  }
  return false;
}

// Where the order differs from run to run by itself, which samples come.
GateOpinion judge_samples(std::span<const LossEvidence> same_seed, const LossEvidence& candidate) {
  if (!other_order(same_seed.front(), candidate)) return passed();
  const bool one_order = std::ranges::none_of(
      same_seed, [&](const LossEvidence& other) { return other_order(same_seed.front(), other); });
  if (one_order) return failed("the samples come in another order");
  std::vector<const SamplesByLoader*> baselines;
  for (const LossEvidence& trial : same_seed) baselines.push_back(&trial.samples_seen);
  SamplesOpinion samples = same_samples(baselines, candidate.samples_seen);
  if (samples.same == SameSamples::kYes) return passed();
  if (samples.same == SameSamples::kNo) return failed(std::move(samples.reason));
  return inconclusive("the program shuffles anew each time, and which samples came is not known");
}

GateOpinion judge_nothing(std::span<const LossEvidence> same_seed, const LossEvidence& candidate) {
  const bool known = same_seed.size() >= 2 && !candidate.losses.empty();
  if (known && same_bits(same_seed[0].losses, same_seed[1].losses)) {
    if (same_bits(same_seed[0].losses, candidate.losses)) return passed();
    return failed("the losses are not the same bit by bit, as they are without it");
  }
  const GateOpinion samples = judge_samples(same_seed, candidate);
  return samples.gate == run::LossGate::kFailed ? samples : GateOpinion{};
}

GateOpinion judge_draws(std::span<const LossEvidence> same_seed,
                        std::span<const LossEvidence> other_seeds, const LossEvidence& candidate,
                        std::size_t n) {
  if (GateOpinion samples = judge_samples(same_seed, candidate);
      samples.gate != run::LossGate::kPassed) {
    return samples;
  }
  if (1 + other_seeds.size() < kSeeds) return inconclusive("too few trials with other seeds");
  std::vector<double> means = {late_mean(same_seed.front().losses, n)};
  for (const auto& trial : other_seeds) means.push_back(late_mean(trial.losses, n));
  const OneMore seeds = one_more(means);
  const double loss = late_mean(candidate.losses, n);
  if (std::abs(loss - seeds.mean) <= seeds.reach) return passed();
  return failed("the loss is " + loss_text(loss) + ", other seeds give " + loss_text(seeds.mean) +
                " +- " + loss_text(seeds.reach));
}

GateOpinion judge_rounding(std::span<const LossEvidence> same_seed, const LossEvidence& candidate,
                           std::size_t n) {
  if (same_seed.size() < 2) return inconclusive("too few trials without it");
  const std::vector<double>& base = same_seed[0].losses;
  const std::size_t tenth = std::max<std::size_t>(n / 10, 1);
  double first = 0;
  double last = 0;
  for (std::size_t i = 0; i < tenth; ++i) {
    first += base[i] / static_cast<double>(tenth);
    last += base[n - 1 - i] / static_cast<double>(tenth);
  }
  const double deviation = std::abs(late_mean(same_seed[1].losses, n) - late_mean(base, n));
  const double bound = std::max(kShareOfDrop * std::abs(first - last), kTimesDeviation * deviation);
  const double difference = late_mean(candidate.losses, n) - late_mean(base, n);
  if (std::abs(difference) <= bound) return passed();
  return failed("the loss moves by " + loss_text(difference) + ", allowed are " + loss_text(bound));
}

bool finite_norms(const LossEvidence& trial) {
  return std::ranges::all_of(trial.grad_norms, [](const auto& norm) {
    return norm.second >= 0 && std::isfinite(norm.second);
  });
}

// The median log ratio of b's norms to a's, over the updates that both have.
std::optional<double> norm_ratio(const LossEvidence& a, const LossEvidence& b) {
  std::vector<double> ratios;
  for (const auto& [update, of_a] : a.grad_norms) {
    const auto of_b = b.grad_norms.find(update);
    if (of_b == b.grad_norms.end()) continue;
    const bool both_zero = of_a == 0 && of_b->second == 0;  // a layer that is not reached yet
    ratios.push_back(both_zero ? 0 : std::log(of_b->second) - std::log(of_a));
  }
  if (ratios.size() < kFewestNorms) return std::nullopt;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  if (ratios.size() % 2 == 1 || !std::isfinite(*middle)) return *middle;
  return (*middle + *std::max_element(ratios.begin(), middle)) / 2;
}

// How far from none the ratio may be by what the baseline shows of itself, and around
// what; nothing where that is not known.
std::optional<OneMore> norms_of_baseline(KnobChanges changes,
                                         std::span<const LossEvidence> same_seed,
                                         std::span<const LossEvidence> other_seeds) {
  if (changes == KnobChanges::kRounding) {
    const auto own = same_seed.size() < 2 ? std::nullopt : norm_ratio(same_seed[0], same_seed[1]);
    if (!own) return std::nullopt;
    return OneMore{.mean = 0, .reach = kTimesDeviation * std::abs(*own)};
  }
  std::vector<double> ratios = {0};
  for (const auto& trial : other_seeds) {
    const auto ratio = norm_ratio(same_seed[0], trial);
    if (ratio) ratios.push_back(*ratio);
  }
  if (ratios.size() < kSeeds) return std::nullopt;
  return one_more(ratios);
}

GateOpinion judge_norms(KnobChanges changes, std::span<const LossEvidence> same_seed,
                        std::span<const LossEvidence> other_seeds, const LossEvidence& candidate) {
  GateOpinion out = passed();
  out.without_norms = true;
  if (!std::ranges::all_of(same_seed, finite_norms)) return out;
  if (!same_seed[0].grad_norms.empty() && !finite_norms(candidate)) {
    return failed("a norm of the gradients is not finite");
  }
  const auto ratio = norm_ratio(same_seed[0], candidate);
  const auto own = norms_of_baseline(changes, same_seed, other_seeds);
  if (!ratio || !own) return out;
  out.without_norms = false;
  const bool beyond_own = !(std::abs(*ratio - own->mean) <= own->reach);
  if (!beyond_own || std::abs(*ratio) <= std::log(kNormFactor)) return out;
  return failed("the gradients' norm is " + loss_text(std::exp(*ratio)) + " times that without it");
}

}  // namespace

GateOpinion inconclusive(std::string why) {
  return {.gate = run::LossGate::kInconclusive, .reason = std::move(why)};
}

std::string loss_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

bool same_losses(const LossEvidence& a, const LossEvidence& b) {
  return std::min(a.losses.size(), b.losses.size()) >= kFewestLosses && all_finite(a.losses) &&
         all_finite(b.losses) && same_bits(a.losses, b.losses);
}

GateOpinion judge_beside_runs(KnobChanges changes, std::span<const LossEvidence> same_seed,
                              const LossEvidence& candidate, const GateOpinion& of_runs) {
  const bool sound = std::ranges::all_of(
      same_seed, [](const LossEvidence& trial) { return all_finite(trial.losses); });
  if (sound && !all_finite(candidate.losses)) return failed("a loss is not finite");
  if (changes != KnobChanges::kDraws || same_seed.empty()) return of_runs;
  if (same_seed.size() < 2 && other_order(same_seed.front(), candidate)) {
    return inconclusive("one trial without it does not show whether its order is always the same");
  }
  GateOpinion samples = judge_samples(same_seed, candidate);
  return samples.gate == run::LossGate::kPassed ? of_runs : samples;
}

GateOpinion judge_loss(KnobChanges changes, std::span<const LossEvidence> same_seed,
                       std::span<const LossEvidence> other_seeds, const LossEvidence& candidate) {
  if (same_seed.empty()) return inconclusive("no trial without it");
  const bool sound = std::ranges::all_of(
      same_seed, [](const LossEvidence& trial) { return all_finite(trial.losses); });
  if (sound && !all_finite(candidate.losses)) return failed("a loss is not finite");
  if (changes == KnobChanges::kNothing) return judge_nothing(same_seed, candidate);
  if (changes == KnobChanges::kTraining) {
    return judge_by_samples(same_seed.front(), other_seeds, candidate);
  }
  if (changes == KnobChanges::kAnything) {
    if (common_length(same_seed, 1) == 0 && candidate.losses.empty()) return {};
    if (same_bits(same_seed[0].losses, candidate.losses)) return passed();
    changes = KnobChanges::kRounding;
  }
  const std::size_t n =
      common_length(other_seeds, common_length(same_seed, candidate.losses.size()));
  if (n < kFewestLosses) return inconclusive("too few losses were seen");
  if (!sound) return inconclusive("losses are not finite without it, either");
  const GateOpinion opinion = changes == KnobChanges::kRounding
                                  ? judge_rounding(same_seed, candidate, n)
                                  : judge_draws(same_seed, other_seeds, candidate, n);
  if (opinion.gate != run::LossGate::kPassed) return opinion;
  return judge_norms(changes, same_seed, other_seeds, candidate);
}

}  // namespace flatout::apply
