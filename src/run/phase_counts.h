// How many phase events of each kind a lane has: enough to choose a lane by, without a pass over
// all events.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "run/event.h"

namespace flatout::run {

struct PhaseCount {
  std::uint16_t lane = 0;
  Phase phase = Phase::kOther;
  std::uint64_t begins = 0;
  std::uint64_t ends = 0;
  friend bool operator==(const PhaseCount&, const PhaseCount&) = default;
};

// Counts events, one after the other. One thread.
class PhaseCounter {
 public:
  void add(const PhaseEvent& event) {
    if (of_lane_ == nullptr || lane_ != event.lane) {
      lane_ = event.lane;
      of_lane_ = &lanes_[lane_];
    }
    auto& count = (*of_lane_)[static_cast<std::size_t>(event.phase) % kPhaseNames.size()];
    ++(event.begin ? count.begins : count.ends);
  }
  // In order of lane and phase; those that have events.
  std::vector<PhaseCount> counts() const;

 private:
  struct Count {
    std::uint64_t begins = 0, ends = 0;
  };
  using OfLane = std::array<Count, kPhaseNames.size()>;
  std::map<std::uint16_t, OfLane> lanes_;
  OfLane* of_lane_ = nullptr;  // of lane_, the latest
  std::uint16_t lane_ = 0;
};

}  // namespace flatout::run
