#include "data/tune/cost_model.h"

#include <algorithm>
#include <cmath>

namespace flatout::data::tune {
namespace {

constexpr double kHeadroom = 1.1;
// Bytes do not come evenly: with as many threads reading as on the mean, cores are idle now and
// then.
constexpr double kSpareReaders = 1.25;
constexpr double kMostBatches = 1 << 16;

}  // namespace

double threads_for(const Figures& figures, const Bounds& bounds) {
  const Cost& cost = figures.cost;
  if (cost.wall <= 0) return 0;
  const double busy =
      std::max(cost.cpu, 0.01 * cost.wall);  // a sample that costs nothing is not believed
  const double saturating = bounds.cores * (busy + kSpareReaders * cost.latency) / busy;
  if (figures.gap <= 0) return saturating;
  const double demand = kHeadroom * figures.batch_samples / figures.gap;
  const double meeting = demand * (cost.wall + (kSpareReaders - 1) * cost.latency);
  // A consumer that is fed shows that the cores allow it, whoever else uses them.
  return figures.starved < kFed ? meeting : std::min(saturating, meeting);
}

std::size_t ahead_for_threads(int threads, const Bounds& bounds) {
  // Twice as many samples as threads, beside the batch that is about to be whole: batches go in
  // order, so a slow sample holds up what is made behind it.
  const auto wanted = 2 * static_cast<std::size_t>(std::max(threads, 1));
  return 1 + (wanted + bounds.batch_size - 1) / bounds.batch_size;
}

std::size_t ahead_for_slow_batches(const Figures& figures, double used_up_in_s) {
  if (used_up_in_s <= 0) return 2;
  const double batches = std::ceil(std::min(figures.slow_making / used_up_in_s, kMostBatches));
  return std::max<std::size_t>(2, static_cast<std::size_t>(batches) + 1);
}

std::size_t ahead_rule(const Figures& figures, int threads) {
  return ahead_for_slow_batches(
      figures, std::max(figures.gap, figures.batch_samples * figures.cost.wall / threads));
}

double idle_share(const Figures& figures, int threads) {
  if (figures.seconds <= 0) return 0;
  return 1 - static_cast<double>(figures.made) * figures.cost.wall / figures.seconds / threads;
}

// No more threads than three quarters of the samples that can be open: batches go in order, and the
// threads behind a slow sample take its core.
Setting bounded(Setting setting, const Bounds& bounds) {
  const std::size_t open =
      (bounds.tune_ahead ? bounds.most_ahead : setting.ahead) * bounds.batch_size;
  const int busy = static_cast<int>(std::min<std::size_t>((open * 3 + 3) / 4, 1 << 16));
  if (bounds.tune_threads)
    setting.threads =
        std::clamp(setting.threads, 1, std::max(1, std::min(bounds.most_threads, busy)));
  if (bounds.tune_ahead) {
    setting.ahead = std::max(setting.ahead, ahead_for_threads(setting.threads, bounds));
    setting.ahead =
        std::clamp<std::size_t>(setting.ahead, 1, std::max<std::size_t>(1, bounds.most_ahead));
  }
  return setting;
}

}  // namespace flatout::data::tune
