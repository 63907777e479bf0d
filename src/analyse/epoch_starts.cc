#include "analyse/epoch_starts.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analyse/stats.h"

namespace flatout::analyse {

EpochStarts measure_epoch_starts(const StepCut& cut, TimeWindow steady) {
  std::vector<std::int64_t> first;
  std::vector<double> usual;
  std::set<std::uint32_t> begun;
  for (const Draw& draw : cut.draws) {
    if (!draw.delivered || !cut.training_iterators.contains(draw.iterator)) continue;
    const bool start_up = begun.empty();
    const bool is_first = begun.insert(draw.iterator).second && !start_up;
    if (draw.begin_ns < steady.begin_ns || draw.end_ns > steady.end_ns) continue;
    const std::int64_t wait = draw.end_ns - draw.begin_ns;
    if (is_first) {
      first.push_back(wait);
    } else {
      usual.push_back(static_cast<double>(wait));
    }
  }
  EpochStarts result;
  result.restarts = static_cast<int>(first.size());
  result.usual_wait_ns = static_cast<std::int64_t>(median(usual).value_or(0));
  for (const std::int64_t wait : first) {
    result.excess_ns += std::max<std::int64_t>(0, wait - result.usual_wait_ns);
  }
  return result;
}

}  // namespace flatout::analyse
