#include "run/timeline.h"

#include <utility>

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

std::vector<std::string> all_notes(const Timeline& timeline) {
  std::vector<std::string> notes = timeline.notes;
  if (!timeline.later_notes) return notes;
  for (std::string& line : timeline.later_notes()) notes.push_back(std::move(line));
  return notes;
}

}  // namespace flatout::run
