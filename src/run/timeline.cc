#include "run/timeline.h"

namespace flatout::run {

std::vector<PhaseCount> PhaseCounter::counts() const {
  std::vector<PhaseCount> out;
  for (const auto& [lane, of_lane] : lanes_) {
    for (std::size_t i = 0; i < of_lane.size(); ++i) {
      const Count& count = of_lane[i];
      if (count.begins + count.ends == 0) continue;
      out.push_back({lane, static_cast<Phase>(i), count.begins, count.ends});
    }
  }
  return out;
}

std::vector<PhaseCount> phase_counts(const ProcessTrack& track) {
  if (track.counted) return *track.counted;
  PhaseCounter counter;
  for (const PhaseEvent& event : track.phases) counter.add(event);
  return counter.counts();
}

}  // namespace flatout::run
