#include "apply/block_request.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {
namespace {

constexpr std::uint64_t kRounds = 4;  // of workers, in a block
constexpr double kLongBlockS = 1.5;   // a block of fewer steps than usual lasts so long
constexpr double kLongSettleS = 0.75;
constexpr base::DurationNs kBlockPatience = 20 * base::kSecond;

// Enough for `seconds`, one at least and `most` at most. Single steps of a second and more are
// measured as well as many short ones, and a comparison has to end.
std::uint64_t lasting(double seconds, std::uint64_t most, double step_s) {
  if (!(step_s > 0) || seconds / step_s >= static_cast<double>(most)) return most;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(seconds / step_s)));
}

}  // namespace

BlockSpec block_request(const Stack& stack, const BlockPace& pace, const BlockNeeds& needs,
                        const BlockTurn& turn) {
  const auto workers = static_cast<std::uint64_t>(std::max(0, pace.workers));
  // The block has no part in making what workers have queued.
  const std::uint64_t queued = workers * static_cast<std::uint64_t>(std::max(1, pace.ahead));
  const bool stands = turn.stands && !turn.rested;
  const std::uint64_t least = lasting(kLongBlockS, kBlockSteps, pace.step_s);
  const std::uint64_t settle = lasting(kLongSettleS, kSettleSteps, pace.step_s);
  BlockSpec spec;
  spec.knobs = switched_of(stack);
  spec.settle_steps = stands ? 0 : settle + (needs.loader || turn.rested ? queued : 0);
  // At first, until the setting meets a batch that was made under it.
  spec.steps = turn.first ? least + queued : std::max(least, needs.loader ? kRounds * workers : 0);
  spec.least_ns = turn.first ? 0 : kBlockNs;
  const auto usual_ns = static_cast<base::DurationNs>(
      static_cast<double>(spec.settle_steps + spec.steps) * pace.step_s * 1e9);
  spec.timeout_ns = std::max(kBlockPatience, 10 * usual_ns);
  return spec;
}

// minstd_rand0's next number.
bool candidate_first(std::uint32_t& random) {
  random = static_cast<std::uint32_t>(random * 16807ULL % 2147483647ULL);
  return random / 1024 % 2 == 0;
}

double step_s_of(const BlockResult& block) {
  return static_cast<double>(std::max<base::DurationNs>(1, block.block_ns)) / 1e9 /
         static_cast<double>(std::max<std::uint64_t>(1, block.steps));
}

const run::KnobOutcome* outcome_in(const BlockResult& block, std::string_view knob) {
  const auto found = std::ranges::find(block.outcomes, knob, [](const run::KnobOutcome& outcome) {
    return std::string_view(outcome.asked.knob);
  });
  return found == block.outcomes.end() ? nullptr : &*found;
}

}  // namespace flatout::apply
