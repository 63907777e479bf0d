// The phase events of one lane (thread) of a process, in the recording's order, asked for as they
// are gone over: none of them is held.
#pragma once

#include <cstdint>
#include <iterator>

#include "run/timeline.h"

namespace flatout::run {

class LaneEvents {
 public:
  // `process` must outlive it.
  LaneEvents(const ProcessTrack& process, std::uint16_t lane) : process_(process), lane_(lane) {}

  class Iterator {
   public:
    using value_type = PhaseEvent;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(RecordIterator<PhaseEvent> at, std::uint16_t lane) : at_(std::move(at)), lane_(lane) {
      skip_others();
    }
    const PhaseEvent& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip_others();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, std::default_sentinel_t end) { return a.at_ == end; }

   private:
    void skip_others() {
      while (at_ != std::default_sentinel && at_->lane != lane_) ++at_;
    }
    RecordIterator<PhaseEvent> at_;
    std::uint16_t lane_ = 0;
  };

  Iterator begin() const { return {process_.phases.begin(), lane_}; }
  std::default_sentinel_t end() const { return {}; }

 private:
  const ProcessTrack& process_;
  std::uint16_t lane_;
};

}  // namespace flatout::run
