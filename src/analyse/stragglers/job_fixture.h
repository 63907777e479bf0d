// A job of several ranks, simulated: each step fetches, computes and reduces, and leaves the
// reduction together. What each rank's trace shows is written down with a clock of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/kernels/kernel_trace_fixture.h"
#include "analyse/stragglers/rank_trace.h"

namespace flatout::analyse {

// Microseconds that a rank takes for the parts of a step.
struct StepOfRank {
  std::int64_t data = 100;
  std::int64_t compute = 400;
};

struct JobOptions {
  std::int64_t reduce = 50;         // from when the last rank has come
  std::vector<std::int64_t> ahead;  // of each rank's clock, us
  std::vector<std::size_t> unseen;  // steps before each rank's trace begins
  std::string kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
};

// steps[k][rank]. After their reduction, odd steps have another of twice the length.
inline std::vector<RankTrace> traces_of_job(const std::vector<std::vector<StepOfRank>>& steps,
                                            const JobOptions& options = {}) {
  const std::size_t ranks = steps.front().size();
  std::vector<KernelTrace> traces(ranks);
  std::int64_t begin = 1000;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::int64_t come = 0;
    const auto ready = [&](std::size_t rank) {
      return begin + steps[k][rank].data + 20 + steps[k][rank].compute;
    };
    for (std::size_t rank = 0; rank < ranks; ++rank) come = std::max(come, ready(rank));
    const std::int64_t leave = come + options.reduce;
    const std::int64_t end = k % 2 == 1 ? leave + 2 * options.reduce : leave;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank < options.unseen.size() && k < options.unseen[rank]) continue;
      const std::int64_t ahead = rank < options.ahead.size() ? options.ahead[rank] : 0;
      const std::int64_t from = begin + ahead;
      const std::int64_t launch = from + steps[k][rank].data;
      KernelTrace& trace = traces[rank];
      trace.phase(run::Phase::kDataWait, from, launch);
      trace.phase(run::Phase::kForward, launch, launch + 15);
      trace.launch(launch + 1, launch + 20, launch + 20 + steps[k][rank].compute);
      trace.phase(run::Phase::kOptimizer, launch + 16, launch + 18);
      trace.step(launch + 19);
      trace.kernel(ready(rank) + ahead, leave + ahead, 0, options.kernel, 9);
      if (k % 2 == 1) trace.kernel(leave + ahead, end + ahead, 0, options.kernel, 9);
    }
    begin = end;
  }
  std::vector<RankTrace> out;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const run::Timeline timeline = traces[rank].timeline();
    out.push_back(rank_trace_of(timeline, measure(timeline)));
    out.back().rank = static_cast<int>(rank);
  }
  return out;
}

}  // namespace flatout::analyse
