#include "apply/samples_seen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flatout::apply {
namespace {

using Many = std::span<const SamplesSeen* const>;

// Sampling alone goes beyond these about once in a thousand.
constexpr double kDeviationsAllowed = 4;   // of a mean, where it is not quite normal
constexpr double kSmirnov = 1.95;          // times sqrt(1 / a + 1 / b)
constexpr double kChiSquarePerPart = 2.6;  // chi-square of 15 degrees of freedom, over 15
// Samplers that draw in groups spread more than single draws: times what the baselines
// show among themselves.
constexpr double kTimesOwn = 6;
constexpr double kShareSlack = 0.02;

double share_of(double count, double of) { return of > 0 ? count / of : 0; }

// The widest that `value` differs among the baselines, and its mean.
struct Own {
  double mean = 0;
  double range = 0;
};

template <typename Value>
Own own(Many baselines, Value value) {
  double least = value(*baselines.front());
  double most = least;
  Own out;
  for (const SamplesSeen* one : baselines) {
    least = std::min(least, value(*one));
    most = std::max(most, value(*one));
    out.mean += value(*one) / static_cast<double>(baselines.size());
  }
  out.range = most - least;
  return out;
}

// Where samplers draw runs of neighbours, each run is one draw.
double draws_of(Many baselines, const SamplesSeen& candidate) {
  const Own next =
      own(baselines, [](const SamplesSeen& one) { return share_of(one.successors, one.samples); });
  return std::max(1.0, candidate.samples * (1 - next.mean));
}

// Variance `variance` of the share for one sample; that of its mean falls with their number.
template <typename Value>
bool share_differs(Many baselines, const SamplesSeen& candidate, double variance, Value value) {
  const Own among = own(baselines, value);
  const double deviation = std::sqrt(variance * 2 / draws_of(baselines, candidate));
  const double allowed = kShareSlack + kDeviationsAllowed * deviation + 2 * among.range;
  return std::abs(value(candidate) - among.mean) > allowed;
}

// The share of samples that are at most `value`, between the quantiles by a straight line.
double share_up_to(const std::vector<double>& quantiles, double value) {
  const auto parts = static_cast<double>(quantiles.size() - 1);
  const auto above = std::ranges::upper_bound(quantiles, value);
  if (above == quantiles.begin()) return 0;
  if (above == quantiles.end()) return 1;
  const auto place = static_cast<double>(above - quantiles.begin());
  const double width = *above - *(above - 1);
  return (place - 1 + (width > 0 ? (value - *(above - 1)) / width : 0)) / parts;
}

double spread_distance(const SamplesSeen& a, const SamplesSeen& b) {
  double distance = 0;
  const auto parts = static_cast<double>(b.quantiles.size() - 1);
  for (std::size_t i = 0; i < b.quantiles.size(); ++i) {
    // Where one value takes up several quantiles, any share among them is right.
    const double low = static_cast<double>(std::ranges::lower_bound(b.quantiles, b.quantiles[i]) -
                                           b.quantiles.begin());
    const double high = static_cast<double>(std::ranges::upper_bound(b.quantiles, b.quantiles[i]) -
                                            b.quantiles.begin() - 1);
    const double share = share_up_to(a.quantiles, b.quantiles[i]);
    distance = std::max({distance, low / parts - share, share - high / parts});
  }
  return distance;
}

// Chi-square of homogeneity, over its degrees of freedom.
double rests_distance(const SamplesSeen& a, const SamplesSeen& b) {
  double out = 0;
  double parts = 0;
  for (std::size_t i = 0; i < a.rests.size(); ++i) {
    const double both = a.rests[i] + b.rests[i];
    if (both <= 0) continue;
    const double expected = both * b.samples / (a.samples + b.samples);
    const double other = both - expected;
    out += std::pow(b.rests[i] - expected, 2) * (1 / expected + 1 / other);
    ++parts;
  }
  return parts > 1 ? out / (parts - 1) : 0;
}

template <typename Distance>
bool too_far(Many baselines, const SamplesSeen& candidate, double by_chance, double times_own,
             Distance distance) {
  double nearest = distance(*baselines.front(), candidate);
  double among = 0;
  for (const SamplesSeen* one : baselines) {
    nearest = std::min(nearest, distance(*one, candidate));
    for (const SamplesSeen* other : baselines) {
      if (one != other) among = std::max(among, distance(*one, *other));
    }
  }
  return nearest > std::max(by_chance, times_own * among);
}

bool has_numbers(const SamplesSeen& seen) {
  return seen.quantiles.size() > 1 && seen.rests.size() > 1 && seen.samples > 1;
}

std::string within_an_epoch(Many baselines, const SamplesSeen& candidate) {
  const auto repeats = [](const SamplesSeen& one) { return share_of(one.repeats, one.samples); };
  const Own again = own(baselines, repeats);
  const bool none = again.mean == 0 && again.range == 0;
  if (none ? candidate.repeats > 0 : share_differs(baselines, candidate, 0.25, repeats)) {
    return none ? "samples come twice" : "samples come again more or less often";
  }
  const Own many = own(baselines, [](const SamplesSeen& one) { return one.samples; });
  if (many.range == 0 && candidate.samples != many.mean)
    return "batches hold other numbers of samples";
  const bool numbers =
      has_numbers(candidate) &&
      std::ranges::all_of(baselines, [](const auto* one) { return has_numbers(*one); });
  if (!numbers) return "";
  const auto rising = [](const SamplesSeen& one) { return share_of(one.rising, one.samples - 1); };
  const auto next = [](const SamplesSeen& one) {
    return share_of(one.successors, one.samples - 1);
  };
  if (share_differs(baselines, candidate, 1.0 / 12, rising) ||
      share_differs(baselines, candidate, 1.0 / 12, next)) {
    return "the samples are shuffled in another way, or not at all";
  }
  const double parts = static_cast<double>(candidate.quantiles.size() - 1);
  const double draws = draws_of(baselines, candidate);
  const double smirnov = 1 / parts + kSmirnov * std::sqrt(2 / draws);
  const double chi_square = kChiSquarePerPart * candidate.samples / draws;
  if (too_far(baselines, candidate, smirnov, 2, spread_distance) ||
      too_far(baselines, candidate, chi_square, kTimesOwn, rests_distance)) {
    return "some samples come more often than others";
  }
  return "";
}

SamplesOpinion of_loader(std::span<const SamplesOfLoader* const> baselines,
                         const SamplesOfLoader& candidate) {
  std::vector<const SamplesSeen*> ended;
  for (const auto* one : baselines) {
    if (one->epoch) ended.push_back(&*one->epoch);
  }
  const bool alike =
      ended.size() == baselines.size() && std::ranges::all_of(ended, [&](const auto* one) {
        return one->together == ended.front()->together;
      });
  const bool whole = alike && candidate.epoch.has_value();
  if (whole && candidate.epoch->together != ended.front()->together) {
    return {.same = SameSamples::kNo, .reason = "an epoch does not hold the same samples"};
  }
  for (auto said = candidate.first.rbegin(); said != candidate.first.rend(); ++said) {
    std::vector<const SamplesSeen*> same;
    for (const auto* one : baselines) {
      if (const auto found = one->first.find(said->first); found != one->first.end()) {
        same.push_back(&found->second);
      }
    }
    if (same.size() < 2) continue;
    std::string why = within_an_epoch(same, said->second);
    const bool yes = why.empty();
    return {.same = yes ? SameSamples::kYes : SameSamples::kNo, .reason = std::move(why)};
  }
  return {.same = whole ? SameSamples::kYes : SameSamples::kUnknown, .reason = ""};
}

}  // namespace

SamplesOpinion same_samples(std::span<const SamplesByLoader* const> baselines,
                            const SamplesByLoader& candidate) {
  SamplesOpinion out;
  for (const auto& [loader, samples] : candidate) {
    std::vector<const SamplesOfLoader*> same;
    for (const auto* one : baselines) {
      if (const auto found = one->find(loader); found != one->end()) same.push_back(&found->second);
    }
    if (same.size() < 2) continue;
    SamplesOpinion opinion = of_loader(same, samples);
    if (opinion.same == SameSamples::kNo) return opinion;
    if (opinion.same == SameSamples::kYes) out.same = SameSamples::kYes;
  }
  return out;
}

}  // namespace flatout::apply
