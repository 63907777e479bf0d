// What a device did at any time, as pieces that follow each other: for ranks that are compared over
// many short windows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyse/kernels/phase_timeline.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Nanoseconds of a window, by run::Phase.
struct PhaseSums {
  std::array<double, run::kPhaseCount> all{};
  double idle = 0;  // of all: nothing ran
};

// One device, collectives left out: while only they run it counts as idle. Where several run at
// once the one that began first has the time.
class DevicePieces {
 public:
  // `phases` of the step thread must outlive it.
  DevicePieces(const run::ProcessTrack& process, const run::NameTable& names, std::uint16_t device,
               const PhaseTimeline& phases);

  PhaseSums between(std::int64_t from_ns, std::int64_t to_ns) const;
  // In which kernels that are no collectives, or memsets, ran.
  std::int64_t computed(std::int64_t from_ns, std::int64_t to_ns) const;

 private:
  struct Piece {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    run::Phase phase = run::Phase::kOther;
    bool computes = true;
  };
  const PhaseTimeline& phases_;
  std::vector<Piece> pieces_;
};

}  // namespace flatout::analyse
