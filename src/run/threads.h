// Which lanes of a process are one thread: a run's trace ring numbers its lanes apart from those of
// the process's other ring (kFirstTraceLane), and both say which thread of the system it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "run/timeline.h"

namespace flatout::run {

class Threads {
 public:
  explicit Threads(const ProcessTrack& process) {
    for (const Lane& traced : process.lanes) {
      if (traced.lane < kFirstTraceLane || traced.tid == 0) continue;
      const auto own = std::ranges::find_if(process.lanes, [&](const Lane& lane) {
        return lane.lane < kFirstTraceLane && lane.tid == traced.tid;
      });
      if (own != process.lanes.end()) same_[traced.lane] = own->lane;
    }
  }
  // The lane of the process's own ring where it has one for this thread, else the lane itself.
  std::uint16_t of(std::uint16_t lane) const {
    if (lane < kFirstTraceLane || same_.empty()) return lane;
    const auto found = same_.find(lane);
    return found == same_.end() ? lane : found->second;
  }

 private:
  std::map<std::uint16_t, std::uint16_t> same_;
};

}  // namespace flatout::run
