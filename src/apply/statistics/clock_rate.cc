#include "apply/statistics/clock_rate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apply/statistics/steady_state.h"

namespace flatout::apply {
namespace {

// Standard deviation of what one begin of an epoch costs, over its mean, where only one was seen.
// Of building 2 to 8 workers again on two busy cores it was 9 to 35 %.
constexpr double kStartSpread = 0.3;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::vector<std::size_t> begins_of(std::span<const TimedStep> steps) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].begins_epoch) out.push_back(i);
  }
  return out;
}

struct Epoch {
  Block sum;
  std::size_t steps = 0;
};

// Whole ones from the second on, in order. The last is whole where it is as long as the one before.
std::vector<Epoch> whole_epochs(std::span<const TimedStep> steps,
                                const std::vector<std::size_t>& begins) {
  std::vector<Epoch> out;
  for (std::size_t k = 1; k < begins.size(); ++k) {
    const bool last = k + 1 == begins.size();
    const std::size_t end = last ? steps.size() : begins[k + 1];
    if (last && end - begins[k] < begins[k] - begins[k - 1]) break;
    Epoch epoch{.sum = {}, .steps = end - begins[k]};
    for (const TimedStep& step : steps.subspan(begins[k], epoch.steps)) {
      epoch.sum.samples += step.samples;
      epoch.sum.seconds += seconds(step.own_ns + step.epoch_gap_ns + step.eval_ns);
    }
    out.push_back(epoch);
  }
  return out;
}

// How many of the first whole epochs belong to the warm-up, beside the very first.
std::size_t warm_up_epochs(const std::vector<Epoch>& epochs, std::size_t steps_before) {
  std::size_t cut = 0;
  while (epochs.size() - cut > kFewestEpochs && steps_before < kFewestWarmUpSteps) {
    steps_before += epochs[cut++].steps;
  }
  std::vector<double> costs;
  for (const Epoch& epoch : epochs) costs.push_back(epoch.sum.seconds / epoch.sum.samples);
  cut = std::max(cut, change_point(costs, costs.size() / 2));
  return std::min(cut, epochs.size() - kFewestEpochs);
}

std::optional<ClockRate> by_epochs(std::span<const TimedStep> steps,
                                   const std::vector<std::size_t>& begins) {
  const std::vector<Epoch> epochs = whole_epochs(steps, begins);
  if (epochs.size() < kFewestEpochs) return std::nullopt;
  const std::size_t cut = warm_up_epochs(epochs, begins[1]);
  const std::span<const Epoch> steady = std::span(epochs).subspan(cut);
  ClockRate out{.throughput = {}, .by = ClockBy::kEpochs, .epoch_steps = 0, .restart_seen = true};
  Throughput& found = out.throughput;
  std::size_t counted = 0;
  for (const Epoch& epoch : steady) counted += epoch.steps;
  const std::size_t shortest = (kShortestBlock * steady.size() + counted - 1) / counted;  // epochs
  const std::size_t in_block = std::max(shortest, steady.size() / kWantedBlocks);
  if (steady.size() / in_block < kFewestEpochs) return std::nullopt;
  Block all;
  // The first that do not divide are left out.
  for (std::size_t at = steady.size() % in_block; at < steady.size(); at += in_block) {
    Block block;
    for (const Epoch& epoch : steady.subspan(at, in_block)) {
      block.samples += epoch.sum.samples;
      block.seconds += epoch.sum.seconds;
      found.steady_steps += static_cast<int>(epoch.steps);
    }
    all.samples += block.samples;
    all.seconds += block.seconds;
    found.blocks.push_back(block);
  }
  found.block_steps = found.steady_steps / static_cast<int>(found.blocks.size());
  found.warmup_steps = static_cast<int>(begins[1 + cut]);
  found.samples_per_s = all.samples / all.seconds;
  out.epoch_steps = static_cast<double>(counted) / static_cast<double>(steady.size());
  return out;
}

// The cost of the begins of epochs that were seen, beyond the steps.
struct Starts {
  double mean_s = 0;
  double variance = 0;  // of mean_s
};

// `round`: steps in which the workers deliver for the first time.
class StartCosts {
 public:
  StartCosts(std::span<const TimedStep> steps, const std::vector<std::size_t>& begins,
             std::size_t round)
      : steps_(steps), begins_(begins), round_(round) {
    std::int64_t waits = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (near_begin(i)) continue;
      waits += steps[i].wait_ns;
      ++count;
    }
    usual_wait_s_ = count == 0 ? 0 : seconds(waits) / static_cast<double>(count);
  }

  bool near_begin(std::size_t step) const {
    const auto after = std::ranges::upper_bound(begins_, step);
    return after != begins_.begin() && step - *std::prev(after) < round_;
  }

  // The gap lies in the step that begins the epoch, or, where batches are drawn ahead, before it.
  Starts of_restarts() const {
    std::vector<double> costs;
    for (std::size_t k = 1; k < begins_.size(); ++k) {
      const std::size_t from = begins_[k - 1] + 1;
      std::int64_t gaps = 0;
      for (std::size_t i = from; i <= begins_[k]; ++i) gaps += steps_[i].epoch_gap_ns;
      costs.push_back(seconds(gaps) + late_s(begins_[k]));
    }
    Starts out;
    for (const double cost : costs) out.mean_s += cost / static_cast<double>(costs.size());
    double squares = 0;
    for (const double cost : costs) squares += std::pow(cost - out.mean_s, 2);
    const auto count = static_cast<double>(costs.size());
    const double one = costs.size() > 1 ? squares / (count - 1) : 0;
    out.variance = std::max(one, std::pow(kStartSpread * out.mean_s, 2)) / count;
    return out;
  }

  // Without workers a late first batch is what a process pays once.
  Starts of_first(std::int64_t build_ns, int workers) const {
    Starts out;
    out.mean_s = seconds(build_ns);
    if (workers > 0 && !begins_.empty()) out.mean_s += late_s(begins_.front());
    out.variance = std::pow(kStartSpread * out.mean_s, 2);
    return out;
  }

 private:
  // The wait for the first batches beyond a usual one.
  double late_s(std::size_t begin) const {
    double late = 0;
    for (std::size_t i = begin; i < std::min(begin + round_, steps_.size()); ++i) {
      late += seconds(steps_[i].wait_ns) - usual_wait_s_;
    }
    return std::max(0.0, late);
  }

  std::span<const TimedStep> steps_;
  const std::vector<std::size_t>& begins_;
  std::size_t round_;
  double usual_wait_s_ = 0;
};

void charge(ClockRate& rate, const Starts& starts) {
  Throughput& found = rate.throughput;
  double in_blocks = 0;
  for (const Block& block : found.blocks) in_blocks += block.seconds;
  const double epoch_s = rate.epoch_steps * in_blocks / found.steady_steps;
  found.start_share = starts.mean_s / (epoch_s + starts.mean_s);
  found.start_variance = starts.variance / std::pow(epoch_s + starts.mean_s, 2);
  found.samples_per_s *= 1 - found.start_share;
}

}  // namespace

std::optional<ClockRate> rate_by_clock(std::span<const TimedStep> steps, int workers,
                                       const EpochFacts& facts) {
  if (!is_measurement(steps)) return std::nullopt;
  const std::vector<std::size_t> begins = begins_of(steps);
  if (auto found = by_epochs(steps, begins)) return found;
  const bool restarts = begins.size() > 1;
  const double seen = restarts ? static_cast<double>(begins.back() - begins.front()) /
                                     static_cast<double>(begins.size() - 1)
                               : 0;
  ClockRate out{.throughput = {},
                .by = ClockBy::kStarts,
                .epoch_steps = restarts ? seen : facts.loader_steps,
                .restart_seen = restarts};
  auto round = static_cast<std::size_t>(std::max(workers, 1));
  if (out.epoch_steps > 0) {
    round = std::min(round, static_cast<std::size_t>(std::ceil(out.epoch_steps)));
  }
  const StartCosts costs(steps, begins, round);
  std::vector<TimedStep> inside;  // of epochs, behind their begins
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!restarts || i < begins[1] || !costs.near_begin(i)) inside.push_back(steps[i]);
  }
  const auto throughput = steady_throughput(inside, workers);
  if (!throughput) return std::nullopt;
  out.throughput = *throughput;
  if (!(out.epoch_steps >= 1) || begins.empty()) {
    out.by = ClockBy::kSteps;
    return out;
  }
  charge(out, restarts ? costs.of_restarts() : costs.of_first(facts.first_build_ns, workers));
  return out;
}

}  // namespace flatout::apply
