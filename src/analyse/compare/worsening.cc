#include "analyse/compare/worsening.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "analyse/compare/block_bootstrap.h"
#include "analyse/compare/speedup.h"
#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMostSteps = 20000;  // of a long run: whole blocks, evenly spread
constexpr int kResamplesOfOrder = 400;

using Indices = std::span<const std::size_t>;
// Of the steps at these places.
using StepStatistic = std::function<double(std::span<const Step>, Indices)>;

double milliseconds(const Step& step) { return static_cast<double>(step.own_ns) / 1e6; }

double mean_ms(std::span<const Step> steps, Indices at) {
  double sum = 0;
  for (const std::size_t index : at) sum += milliseconds(steps[index]);
  return sum / static_cast<double>(at.size());
}

double quantile_ms(std::span<const Step> steps, Indices at, double q) {
  std::vector<double> lengths;
  lengths.reserve(at.size());
  for (const std::size_t index : at) lengths.push_back(milliseconds(steps[index]));
  return quantile(lengths, q).value_or(0);
}

double samples_a_second(std::span<const Step> steps, Indices at) {
  double samples = 0, ns = 0;
  for (const std::size_t index : at) {
    if (!steps[index].samples) continue;
    samples += *steps[index].samples;
    ns += static_cast<double>(steps[index].own_ns);
  }
  return ns > 0 ? samples / ns * 1e9 : 0;
}

double phase_share(std::span<const Step> steps, Indices at, std::size_t phase) {
  double spent = 0, all = 0;
  for (const std::size_t index : at) {
    spent += static_cast<double>(steps[index].phases[phase]);
    all += static_cast<double>(steps[index].own_ns);
  }
  return all > 0 ? spent / all : 0;
}

struct KnownFigure {
  StepStatistic statistic;
  bool relative = true;
  bool more_is_better = false;
  std::size_t fewest_steps = kFewestSteps;
};

std::optional<KnownFigure> known(const std::string& figure) {
  if (figure == "step.mean_ms") return KnownFigure{mean_ms};
  if (figure == "step.median_ms") {
    return KnownFigure{[](auto steps, Indices at) { return quantile_ms(steps, at, 0.5); }};
  }
  if (figure == "step.p99_ms") {
    KnownFigure p99{[](auto steps, Indices at) { return quantile_ms(steps, at, 0.99); }};
    p99.fewest_steps = kFewestStepsOfP99;
    return p99;
  }
  if (figure == "step.samples_per_s") {
    KnownFigure rate{samples_a_second};
    rate.more_is_better = true;
    return rate;
  }
  for (std::size_t phase = 0; phase < run::kPhaseCount; ++phase) {
    if (figure != "phase." + std::string(run::kPhaseNames[phase])) continue;
    KnownFigure share{[phase](auto steps, Indices at) { return phase_share(steps, at, phase); }};
    share.relative = false;
    return share;
  }
  return std::nullopt;
}

// Where a run is too long: as many blocks as may be, evenly spread over it.
std::vector<Step> thinned(std::span<const Step> steps, std::size_t block) {
  if (steps.size() <= kMostSteps) return {steps.begin(), steps.end()};
  const std::size_t all = steps.size() / block;
  const std::size_t kept = std::max<std::size_t>(1, kMostSteps / block);
  std::vector<Step> out;
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t from = i * all / kept * block;
    out.insert(out.end(), steps.begin() + static_cast<std::ptrdiff_t>(from),
               steps.begin() + static_cast<std::ptrdiff_t>(from + block));
  }
  return out;
}

struct Spread {
  double value = 0;                // of all steps
  std::vector<double> deviations;  // of resamples from it, widened; of the logarithm if relative
};

Spread spread_of(std::span<const Step> all, int turn, const KnownFigure& figure,
                 std::uint64_t seed) {
  const std::size_t block = block_steps(all.size(), turn);
  const std::vector<Step> steps = thinned(all, block);
  std::vector<std::size_t> each(all.size());
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = i;
  Spread out;
  out.value = figure.statistic(all, each);
  each.resize(steps.size());
  const auto scaled = [&](double value) { return figure.relative ? std::log(value) : value; };
  const double center = scaled(figure.statistic(steps, each));
  const double widening = block_widening(steps.size(), block);
  BootstrapOptions options;
  options.seed = seed;
  options.resamples = kResamplesOfOrder;
  options.block = block;
  (void)bootstrap(
      steps.size(),
      [&](Indices sample) {
        out.deviations.push_back((scaled(figure.statistic(steps, sample)) - center) * widening);
        return 0.0;
      },
      options);
  return out;
}

std::optional<run::Worsening> worsening(const Analysis& before, const Analysis& after,
                                        const std::string& name, const KnownFigure& figure) {
  if (before.steady().size() < figure.fewest_steps || after.steady().size() < figure.fewest_steps) {
    return std::nullopt;
  }
  const auto turn = [](const Analysis& analysis) {
    return analysis.loader ? analysis.loader->num_workers.value_or(1) : 1;
  };
  const Spread first = spread_of(before.steady(), turn(before), figure, 1);
  const Spread second = spread_of(after.steady(), turn(after), figure, 2);
  if (figure.relative && !(first.value > 0 && second.value > 0)) return std::nullopt;
  // So that more is worse.
  const double sign = figure.more_is_better ? -1 : 1;
  std::vector<double> deviations;
  for (std::size_t i = 0; i < std::min(first.deviations.size(), second.deviations.size()); ++i) {
    deviations.push_back(sign * (second.deviations[i] - first.deviations[i]));
  }
  const double lo = std::min(0.0, quantile(deviations, 0.025).value_or(0));
  const double hi = std::max(0.0, quantile(deviations, 0.975).value_or(0));
  run::Worsening out{name, first.value, second.value, figure.relative};
  if (!figure.relative) {
    out.change = sign * (second.value - first.value);
    out.lo = out.change + lo;
    out.hi = out.change + hi;
    return out;
  }
  // A rate that fell to 0.8 has steps that take 1.25 as long: 25 % worse.
  const double ratio =
      figure.more_is_better ? first.value / second.value : second.value / first.value;
  out.change = ratio - 1;
  out.lo = ratio * std::exp(lo) - 1;
  out.hi = ratio * std::exp(hi) - 1;
  return std::isfinite(out.lo) && std::isfinite(out.hi) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::vector<run::Worsening> worsenings(const Analysis& before, const Analysis& after,
                                       const std::set<std::string>& figures) {
  std::vector<run::Worsening> out;
  for (const std::string& name : figures) {
    const auto figure = known(name);
    if (!figure) continue;
    if (auto found = worsening(before, after, name, *figure)) out.push_back(std::move(*found));
  }
  return out;
}

std::optional<double> p99_ms(const Analysis& analysis) {
  const auto steps = analysis.steady();
  if (steps.size() < kFewestStepsOfP99 / 5) return std::nullopt;
  std::vector<double> lengths;
  for (const Step& step : steps) lengths.push_back(milliseconds(step));
  return quantile(lengths, 0.99);
}

}  // namespace flatout::analyse
