#include "data/tune/window.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace flatout::data::tune {
namespace {

constexpr std::size_t kMostKept = 1024;
constexpr std::size_t kMakingsKept = 128;
// A rate by batches needs so many of them; with fewer, samples that were made are counted.
constexpr std::size_t kFewestCycles = 8;
// A gap that is so many times the usual and so long is no step of training: a validation, a
// checkpoint, a person.
constexpr double kPauseTimes = 8;
constexpr double kShortestPause_s = 0.25;
// No window is trusted to less than this: clocks, page cache and schedulers drift.
constexpr double kLeastError = 0.01;

double seconds(base::DurationNs ns) { return static_cast<double>(ns) / base::kSecond; }

// The value below which `share` of them lie.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, at);
  return *at;
}

// Standard error of the median of values that are about normal, as a share of it.
double median_error(const std::vector<double>& values, double median) {
  if (values.size() < 4 || median <= 0) return 0.3;
  double squares = 0;
  for (const double value : values) squares += (value - median) * (value - median);
  return 1.25 *
         std::sqrt(squares / static_cast<double>(values.size() - 1) /
                   static_cast<double>(values.size())) /
         median;
}

// Standard error of the mean, as a share of it, by the means of overlapping blocks (M. S. Meketon
// and B. Schmeiser, "Overlapping batch means: something for nothing?", Winter Simulation Conference
// 1984). Cycles are not independent: where threads have cores by turns, or a queue lies between, a
// long one is followed by short ones, and the mean is steadier than their spread makes believe.
double mean_error(const std::vector<double>& values) {
  const std::size_t count = values.size();
  const auto block =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::sqrt(static_cast<double>(count))));
  if (count < 2 * block) return 1;
  const auto n = static_cast<double>(count);
  const auto b = static_cast<double>(block);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (mean <= 0) return 1;
  double sum =
      std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(block), 0.0);
  double squares = 0;
  for (std::size_t end = block;; ++end) {
    squares += (sum / b - mean) * (sum / b - mean);
    if (end == count) break;
    sum += values[end] - values[end - block];
  }
  return std::sqrt(b * squares / ((n - b) * (n - b + 1))) / mean;
}

Cost cost_of(const Work& before, const Work& after) {
  if (after.samples <= before.samples) return {};
  const auto made = static_cast<double>(after.samples - before.samples);
  const double compute = seconds(after.compute - before.compute) / made;
  Cost cost;
  cost.cpu = std::max(0.0, seconds(after.cpu - before.cpu) / made);
  cost.compute = compute;
  cost.wall = seconds(after.read - before.read) / made + compute;
  // Decoding and transforming wait for nothing but a core. Where they take longer than all CPU time
  // of the sample, they had to share one, and only what reading took beside them can be latency;
  // and of that not the time in which the thread could have run.
  const double delay = std::max(0.0, seconds(after.run_delay - before.run_delay) / made);
  cost.latency = std::max(0.0, cost.wall - std::max(cost.cpu + delay, compute));
  return cost;
}

}  // namespace

Window::Window() {
  gaps_s_.reserve(kMostKept);
  cycles_s_.reserve(kMostKept);
  makings_s_.reserve(kMakingsKept);
}

void Window::open(base::TimeNs now, const Work& work) {
  opened_ = now;
  before_ = work;
  cycles_ = 0;
  samples_ = 0;
  gap_s_ = wait_s_ = 0;
  gaps_s_.clear();
  cycles_s_.clear();
}

bool Window::is_pause(base::DurationNs gap) const {
  const double gap_s = seconds(gap);
  if (gap_s < kShortestPause_s || cycles_ == 0) return false;
  return gap_s > kPauseTimes * gap_s_ / static_cast<double>(cycles_);
}

void Window::add(const Delivery& delivery) {
  const auto last = std::exchange(last_given_, delivery.given);
  if (makings_s_.size() < kMakingsKept) {
    makings_s_.push_back(seconds(delivery.making));
  } else {
    makings_s_[making_at_++ % kMakingsKept] = seconds(delivery.making);
  }
  if (!last || is_pause(delivery.asked - *last)) return;
  const double gap = seconds(delivery.asked - *last);
  const double wait = seconds(delivery.given - delivery.asked);
  ++cycles_;
  samples_ += delivery.samples;
  gap_s_ += gap;
  wait_s_ += wait;
  if (gaps_s_.size() < kMostKept) gaps_s_.push_back(gap);
  if (cycles_s_.size() < kMostKept) cycles_s_.push_back(gap + wait);
}

Figures Window::figures(base::TimeNs now, const Work& work,
                        std::optional<base::TimeNs> waiting_since) const {
  Figures out;
  out.seconds = seconds(now - opened_);
  out.batches = cycles_;
  out.made = work.samples - before_.samples;
  out.cost = cost_of(before_, work);
  out.gap = quantile(gaps_s_, 0.5);
  out.gap_error = median_error(gaps_s_, out.gap);
  out.slow_making = quantile(makings_s_, 0.99);
  const auto cycles = static_cast<double>(cycles_);
  if (cycles_ > 0) out.batch_samples = static_cast<double>(samples_) / cycles;
  const double waiting = waiting_since ? seconds(now - std::max(*waiting_since, opened_)) : 0;
  if (const double whole = gap_s_ + wait_s_ + waiting; whole > 0)
    out.starved = (wait_s_ + waiting) / whole;
  if (out.made > 0 && out.seconds > 0) {
    const auto made = static_cast<double>(out.made);
    const double variance =
        (work.squares_s2 - before_.squares_s2) / made / (out.cost.wall * out.cost.wall) - 1;
    out.rate = out.made_rate = made / out.seconds;
    out.rate_error = out.made_error =
        std::max(kLeastError, std::sqrt(std::max(0.0, variance) / made));
  }
  if (cycles_ >= kFewestCycles) {
    out.rate = static_cast<double>(samples_) / (gap_s_ + wait_s_);
    out.rate_error = std::max(kLeastError, mean_error(cycles_s_));
  }
  return out;
}

}  // namespace flatout::data::tune
