// The innermost phase of the step thread at any time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "run/lane_events.h"
#include "run/nesting.h"
#include "run/phase.h"
#include "run/timeline.h"

namespace flatout::analyse {

class PhaseTimeline {
 public:
  PhaseTimeline() = default;  // kOther throughout
  PhaseTimeline(const run::ProcessTrack& process, std::uint16_t lane) {
    std::vector<run::Phase> open;
    run::Nester nester([&](std::span<const run::Edge> edges) {
      for (const run::Edge& edge : edges) {
        if (edge.phase == run::Phase::kStep) continue;
        if (edge.begin) {
          open.push_back(edge.phase);
        } else if (!open.empty()) {
          open.pop_back();
        }
        changes_.emplace_back(edge.t_ns, open.empty() ? run::Phase::kOther : open.back());
      }
    });
    for (const run::PhaseEvent& event : run::LaneEvents(process, lane)) nester.add(event);
    nester.finish();
  }

  run::Phase at(std::int64_t t_ns) const {
    const auto after = next(t_ns);
    return after == changes_.begin() ? run::Phase::kOther : std::prev(after)->second;
  }
  // Calls take(begin, end, phase) for the pieces of [from, to).
  template <typename Take>
  void pieces(std::int64_t from_ns, std::int64_t to_ns, const Take& take) const {
    while (from_ns < to_ns) {
      const auto after = next(from_ns);
      const std::int64_t until = after == changes_.end() ? to_ns : std::min(to_ns, after->first);
      take(from_ns, until, at(from_ns));
      from_ns = until;
    }
  }

 private:
  using Change = std::pair<std::int64_t, run::Phase>;
  std::vector<Change>::const_iterator next(std::int64_t t_ns) const {
    return std::ranges::upper_bound(changes_, t_ns, {}, &Change::first);
  }
  std::vector<Change> changes_;
};

}  // namespace flatout::analyse
