// Where the steady state begins.
//
// Method: MSER (White, "An effective truncation heuristic for bias reduction
// in simulation output", Simulation 69(6), 1997) over means of blocks, as in
// MSER-5 (White, Cobb, Spratt, 2000): of all cut points d in the first half,
// take the one that minimises the marginal standard error of the rest,
//     sum over i >= d of (x_i - mean_d)^2 / (n - d)^2.
// Four changes, because step times are not a queue's waiting times:
//   - blocks are of at least 5 steps and hold whole turns of the workers: w
//     workers deliver in groups of w, which must not look like a change;
//   - a step beyond median +- 5 scaled MADs of the run's second half counts as
//     lying on that bound, so that one slow step moves nothing;
//   - the earliest cut whose squared error is within 30 % of the least wins:
//     noise alone shall not throw half of the run away;
//   - at least kMinWarmUpSteps are dropped (lazy initialisation, allocator,
//     prefetched batches), as the report promises.
// Where other programs load the machine at first and not later, or the other way round, the steps
// change with them, and that is no warm-up: those before the change are steady for their own load,
// and warm-up is looked for among them alone.
// With fewer than kFewSteps steps there is nothing to detect: half of them
// (rounded down) is dropped, and confidence is low.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace flatout::analyse {

constexpr int kMinWarmUpSteps = 10;
constexpr int kFewSteps = 15;

struct WarmUp {
  int dropped = 0;
  bool low_confidence = false;  // few steps, or still changing at half the run
};

// Share of the CPUs that other programs use during the steps [first, last); absent where it is not
// known. May be empty.
using LoadOf = std::function<std::optional<double>(std::size_t first, std::size_t last)>;

// `step_ns`: own times in order. `group`: length of a turn, e.g. the number of
// workers; < 1 counts as 1. Always dropped <= n, and dropped < n for n > 0.
WarmUp find_warm_up(std::span<const std::int64_t> step_ns, int group = 1,
                    const LoadOf& load_of = {});

}  // namespace flatout::analyse
