// Which times of a run's threads the hooks saw as a wait for the device, and from which place of
// the program (fact wait_site).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct WaitSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t site = 0;
};

class WaitSpans {
 public:
  WaitSpans() = default;
  // Those that touch one of `windows`, which are in order of time; none: all are held.
  WaitSpans(const run::ProcessTrack& process, std::span<const TimeWindow> windows);

  // The place of the wait in which this lane of the process's own ring was then; 0 = not known.
  std::uint32_t site_at(std::uint16_t lane, std::int64_t t_ns) const;

 private:
  std::map<std::uint16_t, std::vector<WaitSpan>> lanes_;  // in order of begin
};

}  // namespace flatout::analyse
