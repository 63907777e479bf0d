#include "analyse/background_draws.h"

#include <algorithm>
#include <map>

namespace flatout::analyse {
namespace {

struct Drawing {
  std::int64_t inside_ns = 0;
  std::int64_t since_ns = 0;
  int open = 0;

  void take(const run::PhaseEvent& event, std::int64_t t_ns) {
    if (event.begin) {
      if (open == 0) since_ns = t_ns;
      ++open;
    } else if (open > 0) {
      --open;
      if (open == 0) inside_ns += t_ns - since_ns;
    }
  }
};

}  // namespace

std::optional<double> background_draw_share(const run::ProcessTrack& process,
                                            std::uint16_t step_lane, TimeWindow window) {
  if (window.end_ns <= window.begin_ns) return std::nullopt;
  bool draws = false;
  for (const run::PhaseCount& count : run::phase_counts(process)) {
    if (count.phase != run::Phase::kDataWait) continue;
    if (count.lane == step_lane) return std::nullopt;
    draws = true;
  }
  if (!draws) return std::nullopt;
  std::map<std::uint16_t, Drawing> lanes;
  for (const run::PhaseEvent& event : process.phases) {
    if (event.phase != run::Phase::kDataWait) continue;
    lanes[event.lane].take(event, std::clamp(event.t_ns, window.begin_ns, window.end_ns));
  }
  std::int64_t most = 0;
  for (auto& [lane, drawing] : lanes) {
    if (drawing.open > 0) drawing.inside_ns += window.end_ns - drawing.since_ns;
    most = std::max(most, drawing.inside_ns);
  }
  return static_cast<double>(most) / static_cast<double>(window.end_ns - window.begin_ns);
}

}  // namespace flatout::analyse
