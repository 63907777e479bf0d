#include "advise/workers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "advise/rule.h"
#include "run/worker_room.h"

namespace flatout::advise {
namespace {

constexpr double kNearBest = 0.97;
constexpr double kMinPrefetchGain = 1.02;
constexpr int kDense = 8;  // up to here each number is tried, beyond it steps of a quarter
constexpr std::array kPrefetchFactors = {4, 8};

}  // namespace

run::LoaderSetting present_setting(const run::LoaderReport& loader) {
  return {.workers = loader.workers, .prefetch_factor = loader.prefetch_factor.value_or(2)};
}

std::vector<int> worker_candidates(const run::LoaderReport& loader, const run::HostReport& host) {
  const int most = run::most_useful_workers(loader, host);
  std::vector<int> out;
  for (int w = 0; w <= most; w = w < kDense ? w + 1 : w + w / 4) out.push_back(w);
  if (most > 0 && out.back() != most) out.push_back(most);
  std::erase(out, loader.workers);
  return out;
}

std::optional<WorkerChoice> choose_workers(const run::LoaderReport& loader,
                                           const run::HostReport& host,
                                           const run::Predictor& predictor) {
  std::vector<WorkerChoice> choices;
  double best = 1;  // to stay
  for (const int workers : worker_candidates(loader, host)) {
    run::LoaderSetting setting = present_setting(loader);
    setting.workers = workers;
    const std::optional<run::Speedup> predicted = predictor.loader(setting);
    if (!predicted) continue;
    best = std::max(best, predicted->ratio);
    choices.push_back({setting, *predicted});
  }
  if (!choices.empty()) choices.back().at_bound = true;
  const auto fewest = std::ranges::find_if(choices, [&](const WorkerChoice& choice) {
    return choice.predicted.ratio >= kNearBest * best;
  });
  if (fewest == choices.end() || !worth_it(fewest->predicted)) return std::nullopt;
  // An interval that holds 1 promises nothing.
  if (fewest->predicted.lo <= 1) return std::nullopt;
  return *fewest;
}

std::optional<WorkerChoice> choose_prefetch(const run::LoaderReport& loader, int workers,
                                            const run::Predictor& predictor) {
  if (workers == 0) return std::nullopt;
  run::LoaderSetting setting = present_setting(loader);
  setting.workers = workers;
  const int present = setting.prefetch_factor;
  const std::optional<run::Speedup> before = predictor.loader(setting);
  if (!before || !(before->ratio > 0)) return std::nullopt;
  for (const int factor : kPrefetchFactors) {
    if (factor <= present) continue;
    setting.prefetch_factor = factor;
    const std::optional<run::Speedup> after = predictor.loader(setting);
    if (!after || !(after->ratio > 0)) continue;
    const double gain = after->ratio / before->ratio;
    if (gain <= kMinPrefetchGain) continue;
    // Most of the error is common to both; keeping all of it errs on the wide side.
    return WorkerChoice{.setting = setting,
                        .predicted = {.ratio = gain,
                                      .lo = gain * after->lo / after->ratio,
                                      .hi = gain * after->hi / after->ratio}};
  }
  return std::nullopt;
}

}  // namespace flatout::advise
