#include "apply/statistics/blocks.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "apply/statistics/steady_state.h"

namespace flatout::apply {
namespace {

constexpr double kNsToSeconds = 1e-9;

std::size_t round_steps(int workers) { return static_cast<std::size_t>(std::max(workers, 1)); }

// Of the shortest block, and of a group that a change point is looked for in.
std::size_t shortest_rounds(std::size_t round) { return (kShortestBlock + round - 1) / round; }

Block sum_of(std::span<const TimedStep> steps) {
  Block sum;
  for (const TimedStep& step : steps) {
    sum.samples += step.samples;
    sum.seconds += static_cast<double>(step.own_ns) * kNsToSeconds;
  }
  return sum;
}

// The last steps.size() / length groups: what does not divide is left out in front.
std::vector<Block> cut_from_the_end(std::span<const TimedStep> steps, std::size_t length) {
  std::vector<Block> blocks;
  for (std::size_t at = steps.size() % length; at < steps.size(); at += length) {
    blocks.push_back(sum_of(steps.subspan(at, length)));
  }
  return blocks;
}

std::size_t warm_up_steps(std::span<const TimedStep> steps, std::size_t round) {
  const std::size_t half = steps.size() / 2;
  const std::size_t group = shortest_rounds(round) * round;
  const std::size_t in_front = steps.size() % group;
  std::size_t cut = std::max<std::size_t>(round, kFewestWarmUpSteps);
  if (half > in_front) {
    std::vector<double> costs;
    for (const Block& sum : cut_from_the_end(steps, group)) {
      costs.push_back(sum.seconds / sum.samples);
    }
    const std::size_t groups = change_point(costs, (half - in_front) / group);
    if (groups > 0) cut = std::max(cut, in_front + groups * group);
  }
  return std::min(cut, half);
}

}  // namespace

bool is_measurement(std::span<const TimedStep> steps) {
  const bool sane = std::ranges::all_of(steps, [](const TimedStep& step) {
    return step.own_ns > 0 && step.samples > 0 && std::isfinite(step.samples);
  });
  return sane && std::ranges::is_sorted(steps, std::less(), &TimedStep::end_ns);
}

std::int64_t always_enough_steps(int workers) {
  const std::size_t round = round_steps(workers);
  return static_cast<std::int64_t>(2UL * kFewestBlocks * shortest_rounds(round) * round);
}

std::optional<Throughput> steady_throughput(std::span<const TimedStep> steps, int workers) {
  if (!is_measurement(steps)) return std::nullopt;
  const std::size_t round = round_steps(workers);
  const std::size_t warm_up = warm_up_steps(steps, round);
  const auto steady = steps.subspan(warm_up);
  const std::size_t rounds =
      std::max(shortest_rounds(round), steady.size() / round / kWantedBlocks);
  const std::size_t length = rounds * round;
  if (steady.size() / length < kFewestBlocks) return std::nullopt;

  Throughput found;
  found.warmup_steps = static_cast<int>(warm_up);
  found.block_steps = static_cast<int>(length);
  found.blocks = cut_from_the_end(steady, length);
  const Block all = sum_of(steady.subspan(steady.size() % length));
  found.samples_per_s = all.samples / all.seconds;
  found.steady_steps = static_cast<int>(length * found.blocks.size());
  return found;
}

}  // namespace flatout::apply
